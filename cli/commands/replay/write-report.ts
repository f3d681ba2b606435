import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { message, type Language } from '@springtide/wire/messages';
import { writeWholeFile } from '../../report/index.ts';
import { BadInput } from '../../terminal/index.ts';

/** Refuses a report that cannot be written, before the work that it would report. */
export function checkReportFolder(file: string, language: Language): void {
  const folder = dirname(resolve(file));
  if (existsSync(folder)) return;
  throw new BadInput(message(language, 'replay.bad.folder', { file, folder }));
}

/** Writes the report and says where it is, on stderr: stdout is for the result. */
export function writeReport(file: string, text: string, language: Language): void {
  try {
    const path = writeWholeFile(file, text);
    process.stderr.write(`${message(language, 'replay.report', { file: path })}\n`);
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    throw new BadInput(message(language, 'replay.bad.write', { file, why: cause.message }));
  }
}
