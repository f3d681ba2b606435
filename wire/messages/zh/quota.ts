export const quota = {
  fault: '{object} {id}：{field}：{problem}',
  object: { flavor: '资源规格 flavor', cohort: '队列组 cohort', queue: '队列' },
  problem: {
    'duplicate-id': '{value} 已存在；请使用不同的名称',
    'unknown-flavor': '没有 flavor {value}；请先创建它，或改用已有的名称',
    'unknown-cohort': '没有 cohort {value}；请先创建它，或改用已有的名称',
    cycle: '它会成为自己的上级（{value}）；请去掉其中一级',
    'too-deep': '上下级 cohort 超过 {deepest} 层；请减少它与根之间的层数',
    'not-an-amount': '{value} 不是数量；应为 0 到 {most} 的整数',
    'floor-above-nominal': '保底不能大于名义配额，但 {value}；请降低前者或提高后者',
    'duplicate-cell': '{value} 出现两次；请合并',
    'duplicate-flavor': '{value} 列了两次；请去掉一个',
    'flavor-not-listed': 'flavor {value} 不在该队列的列表中；请把它加进去',
    'in-use': '仍在使用（{value}）；请先把名义配额设为 0，等其上的作业结束',
  },
} as const;
