export const scaleIn = {
  bad: {
    target: '{text}：应写成 deploy/名称、rs/名称 或 sts/名称；带命名空间时写成 deploy/命名空间/名称（或用 -n）',
    to: '--to {text}：应为 0 到 {max} 的整数',
    noTo: '缺少选项：--to 数量，即保留的副本数',
    dryRun: '目前只有 --dry-run：真正缩容用 kubectl scale；装了 webhook 之后，缩掉的就是这里列出的副本',
    unknown: '{kind} {workload} 没有正在运行或等待的 Pod',
    near: '{kind} {workload} 没有正在运行或等待的 Pod；有 {known}',
  },
  head: '{workload}（{kind}）从 {from} 个副本缩到 {to} 个：{count} 个退出。',
  nothing: '{workload}（{kind}）有 {from} 个副本，缩到 {to} 个不需要有副本退出。',
  ordinal: '{workload} 是 StatefulSet：Kubernetes 按序号从大到小删除 Pod，无法挑选。',
  rollout:
    '{workload} 正在滚动更新：{replicaSets} 都有 Pod。缩哪一个、缩多少由 Deployment 控制器决定，到那时由 webhook 挑选。',
  column: { pod: 'Pod', machine: '机器', cards: '卡', why: '原因' },
  why: {
    unready: '未就绪：Kubernetes 总是先删',
    cost: '他人设置的删除代价更低',
    chosen: '选中',
    default: '按 Kubernetes 自己的顺序',
  },
  waits: '（等待中）',
  frees: '共腾出 {cards} 张整卡、{machines} 台整机。',
  freesNamed: '共腾出 {cards} 张整卡、{machines} 台整机：{names}。',
  usual: '按 Kubernetes 自己的顺序会腾出 {cards} 张整卡、{machines} 台整机。',
  webhook: {
    ordinal: '{workload} 是 StatefulSet：按序号删 Pod，无法为腾卡挑选',
    shown: '将退出 {pods}：腾出 {cards} 张卡、{machines} 台机器',
    shownMore: '将退出 {pods} 等，另有 {more} 个：腾出 {cards} 张卡、{machines} 台机器',
    default: {
      notSynced: '尚未读完集群，由 Kubernetes 自己的顺序决定谁退出',
      tooMany: '副本太多，由 Kubernetes 自己的顺序决定谁退出',
      unreadable: '读不到它的 Pod，由 Kubernetes 自己的顺序决定谁退出',
      unwritten: '有 Pod 没能标记，由 Kubernetes 自己的顺序决定谁退出',
      late: '来不及标记完，由 Kubernetes 自己的顺序决定谁退出',
    },
  },
};
