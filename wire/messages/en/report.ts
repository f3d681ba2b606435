/** What every report says around its contents. */
export const report = {
  language: 'Language',
  made: 'Made by springtide {version}',
  noData: 'no data',
} as const;
