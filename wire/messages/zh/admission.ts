export const admission = {
  template: {
    unknown: '{field}：没有名为 {name} 的卡模板；现有 {names}。',
    none: '{field}：没有名为 {name} 的卡模板，也没有任何其他模板。',
    differs: '{field} 是 {pods}，而 metadata.labels["springtide.io/template"] 是 {own}：请只写其中一个。',
    annotated:
      '不读取 metadata.annotations["springtide.io/template"]：请把模板名写在 metadata.labels["springtide.io/template"]。',
    resource: '{field}：卡由模板 {name} 设定，Pod 不能再自己申请。',
    scheduler: '{field} 是 {found}：使用卡模板的 Pod 由 {ours} 放置，请去掉这个字段。',
    pool: '{field} 是 {found}，而卡模板 {name} 属于隔离池 {pool}：请去掉这个标签。',
    container: 'spec.containers：Pod 没有可以分到模板 {name} 的卡的容器。',
    vendor: '{field}：没有名为 {found} 的卡厂商；现有 {known}。',
    unfit: '{field}：{vendor} 的卡不能按模板 {name} 的要求分配；{known} 的可以。',
    unmakeable: '卡模板 {name} 所列的资源都无法满足它的要求：{resources}。',
    uncut: '这个集群里没有一张 {resource} 的卡能按模板 {name} 的要求切分：Pod 会一直等待。',
  },
  request: {
    percent: '{field} 是 {found}：应为卡显存的百分比，1 到 100。',
    memory: '{field} 是 {found}：单位是每张卡 {unit} MiB，没有这么大的卡。',
    memorySuffix: '{field} 是 {found}：单位是每张卡 {unit} MiB，不带后缀；要 {found} 请写 {right}。',
    compute: '{field} 是 {found}：整张卡是 {most}。',
    largest: '{field} 是 {found}：这个集群里 {resource} 最大的卡有 {most} MiB，Pod 会一直等待。',
    kinds: '一个 Pod 只能分到一种卡，而它申请了 {kinds}：会一直等待。',
    computeOnly: '只写 {field} 而不写显存，会占用整张卡的显存：要与别人共用，请同时写 {memory}。',
  },
};
