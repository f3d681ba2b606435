export const advice = {
  flavor: '{flavor}：{start}',
  dearer: '{flavor}：{start}，更贵',
  cheaper: '{flavor}：{start}，更便宜',
  now: '现在',
  later: '约 {p50}（十次有九次在 {p90}内）',
  unforeseeable: '无法预计',
  minutes: '{count} 分钟',
  hours: '{count} 小时',
  days: '{count} 天',
} as const;
