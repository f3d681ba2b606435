import type { en } from './en.ts';
import type { Translated } from './translated.ts';
import { refusal } from './zh/refusal.ts';
import { replay } from './zh/replay.ts';
import { report } from './zh/report.ts';

export const zh: Translated<typeof en> = { refusal, replay, report };
