export const report = {
  language: '语言',
  made: '由 springtide {version} 生成',
  noData: '无数据',
};
