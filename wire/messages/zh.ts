import type { en } from './en.ts';
import type { Translated } from './translated.ts';
import { report } from './zh/report.ts';

export const zh: Translated<typeof en> = { report };
