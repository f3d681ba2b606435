export const cluster = {
  bad: {
    policy: '没有名为 {name} 的放置策略；可选 {known}',
    bothStdin: '导出文件与请求文件只能有一个来自标准输入（-）',
    both: '同时给了导出文件与 --kubeconfig 或 --context：一次只能读一个集群',
    nowhere: '{why}（用 --kubeconfig、--context 指定集群）',
    live: '无法读取集群 {server}：{why}',
    write: '无法写入 {file}：{why}',
  },
  request: {
    cards: '{count} 张 {resource}',
    cardsOfModel: '{count} 张 {resource}（{models}）',
    ofEach: '{cards}，每张 {parts}',
    mib: '{amount}',
    memoryShare: '{percent} 显存',
    compute: '{percent} 算力',
    shared: '让给其他 Pod 优先',
    instance: '切片 {name}',
    cpu: '{amount} 核 CPU',
    memory: '{amount} 内存',
    other: '{amount} 个 {resource}',
    nothing: '无',
  },
};
