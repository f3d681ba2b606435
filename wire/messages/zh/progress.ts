import type { progress as english } from '../en/progress.ts';
import type { Translated } from '../translated.ts';

export const progress: Translated<typeof english> = {
  refused: {
    field: '{path}：应为 {expected}，实际是 {found}',
    json: '应为一个 JSON 对象',
    unauthenticated: '没有令牌，或集群不认识该令牌：请以 bearer 方式带上 Pod 自己的、受众为 {audience} 的令牌',
    noPod: '该令牌属于 {who}，不属于任何 Pod：请使用投射到该 Pod 内的令牌',
    podGone: 'Pod {pod} 已不存在，或已被重建：不再接受它的心跳',
    otherJob: 'job："{job}"，但该令牌属于 "{own}" 的 Pod',
    unavailable: '无法询问或写入 API server：{why}。请重发',
    busy: '正在核验的令牌过多：请重发',
    stale: '这是第 {incarnation} 次启动，而当前存活的是第 {live} 次：请停止运行，也不要再写检查点',
    notItsOwn: 'incarnation：{incarnation}，但该 Pod 是作为第 {started} 次启动的（注解 springtide.io/incarnation）',
    tooOften: '上报过于频繁：{wait} 后才接受下一次；每秒一次足矣',
    fullJobs: '已有 {most} 个作业在上报，达到上限',
    fullPods: '该作业已有 {most} 个 Pod 在上报，达到上限：请只让其中一个代表全部上报',
  },
  news: {
    line: '{job}（第 {incarnation} 次启动）：{what}',
    checkpoint: '可以从第 {step} 步继续（{uri}）',
    noCheckpoint: '已没有完整的检查点',
    recovered: '{after} 后恢复运行',
  },
  phase: { start: '启动', train: '训练', evaluate: '评估', save: '保存', done: '结束' },
  trouble: {
    stalled: '心跳正常，但自第 {step} 步起 {allowed} 内没有进展（{phase}）',
    silent: '自第 {step} 步起心跳停止（{phase}）',
    failed: '以 {what} 结束',
    code: '退出码 {code}',
    codeReason: '{reason}，退出码 {code}',
  },
  decided: {
    restart: '{trouble}。{wait} 后从{from}重新启动{avoid}',
    checkpoint: '第 {step} 步的检查点（{uri}）',
    beginning: '头开始（没有完整的检查点）',
    avoid: '，避开 {machines}',
    giveUp: '{trouble}。不再重新启动：{why}',
    noProgress: '连续 {fruitless} 次没有取得新进展。请查看日志，修复后重新提交',
    tooMany: '重新启动的次数已达单个作业的上限。如属正常，请重新提交',
  },
  mend: {
    image: '没有镜像仓库能提供该镜像。请更正镜像名，或加上拉取凭据',
    config: 'Pod 引用的 ConfigMap 或 Secret 不存在。请创建它，或更正名称',
    memory: '还没有取得新的一步就达到了内存上限。请提高上限，或减少一次载入的数据',
    time: '达到了自身的 activeDeadlineSeconds。请调大该值',
    command: '命令或参数有误。请更正',
    program: '在两台机器上以同样的方式崩溃。请修正程序，或针对这些机器重新构建',
  },
};
