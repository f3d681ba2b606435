import type { en } from './en.ts';
import type { Translated } from './translated.ts';
import { replay } from './zh/replay.ts';
import { report } from './zh/report.ts';

export const zh: Translated<typeof en> = { replay, report };
