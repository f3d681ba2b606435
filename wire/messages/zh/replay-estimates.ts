export const replayEstimates = {
  bad: { queue: '--estimates 只在 fifo 和 greedy 下预报等待：请用 --queue 指定其中之一' },
  scores:
    '在 {waited} 个等待过的作业中（需要等待的作业每 {every} 个取一个，在其提交时预报），{within} % 的预报误差在 10 分钟或四分之一以内；“现在”说对了 {now} %；P90 覆盖了得到预报者的 {covered} %，连同被告知“现在”的共 {all} %；偏差 {bias} 秒，平均等待 {mean} 秒',
  title: '预报的等待与实际的等待',
  told: '预报的等待（P50）',
  hours: '小时',
  covered: '等待不超过预报的比例',
  coverageNote: '无论预报多长，P50 都应覆盖一半作业，P90 都应覆盖九成。',
  waited: '实际等待',
  median: '中位数',
  asTold: '与预报一致',
  truthNote: '按预报的等待分成大小相等的组；两轴均为对数。',
} as const;
