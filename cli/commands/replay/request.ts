import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isPolicyName, POLICY_NAMES, type PolicyName } from '@springtide/core/placement';
import { findTrace, goRandFileIn, traceNames, type TraceFiles } from '@springtide/lab/replay';
import { message, type Language } from '@springtide/wire/messages';
import { BadInput } from '../../terminal/index.ts';
import { parseSeeds } from './seeds.ts';

/** The options as commander hands them over. */
export interface ReplayOptions {
  readonly trace?: string;
  readonly nodes?: string;
  readonly pods?: string;
  readonly sample?: boolean;
  readonly queue?: string;
  readonly machines?: string;
  readonly estimates?: boolean;
  readonly placement?: string;
  readonly seeds?: string;
  readonly ties?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly html?: string;
  readonly lang?: string;
}

/** Traces, policies and seeds to replay, each combination once. */
export interface ReplayRequest {
  readonly traces: readonly TraceFiles[];
  readonly placements: readonly PolicyName[];
  readonly seeds: readonly number[];
  readonly ties: 'rank' | 'random';
}

export const DEFAULT_PLACEMENTS = 'spread,fgd,tide';
export const DEFAULT_SEEDS = '42-51';

/** What the options ask for. Throws BadInput for what does not exist, naming what does. */
export function requestOf(options: ReplayOptions, language: Language): ReplayRequest {
  return {
    traces: tracesOf(options, language),
    placements: placementsOf(options.placement ?? DEFAULT_PLACEMENTS, language),
    seeds: parseSeeds(options.seeds ?? DEFAULT_SEEDS, language),
    ties: tiesOf(options.ties ?? 'rank', language),
  };
}

function tracesOf(options: ReplayOptions, language: Language): TraceFiles[] {
  const { trace, nodes, pods } = options;
  const hasFiles = nodes !== undefined || pods !== undefined;
  if (trace !== undefined && hasFiles) throw new BadInput(message(language, 'replay.bad.both'));
  if (trace === undefined && !hasFiles) throw new BadInput(message(language, 'replay.bad.nothing'));
  const data = dataFolder(options.data);
  if (trace !== undefined) return list(trace).map((name) => namedTrace(data, name, language));
  if (nodes === undefined || pods === undefined) throw new BadInput(message(language, 'replay.bad.pair'));
  return [{ name: basename(pods, '.csv'), nodesFile: nodes, podsFile: pods, goRandFile: goRandFileIn(data) }];
}

function namedTrace(data: string, name: string, language: Language): TraceFiles {
  const found = findTrace(data, name);
  if (found !== null) return found;
  const known = traceNames(data);
  if (known.length === 0) throw new BadInput(message(language, 'replay.bad.noData', { folder: data }));
  throw new BadInput(message(language, 'replay.bad.trace', { name, data, known: known.join(', ') }));
}

/** The folder with `traces/` and `cases/`: as given, else `../shared` beside here or beside the checkout. */
export function dataFolder(asked: string | undefined): string {
  if (asked !== undefined) return asked;
  const beside = [join('..', 'shared'), resolve(import.meta.dirname, '..', '..', '..', '..', 'shared')];
  return beside.find((folder) => existsSync(folder)) ?? join('..', 'shared');
}

function placementsOf(text: string, language: Language): PolicyName[] {
  if (text.trim() === 'all') return POLICY_NAMES;
  return list(text).map((name) => {
    if (isPolicyName(name)) return name;
    throw new BadInput(message(language, 'replay.bad.placement', { name, known: POLICY_NAMES.join(', ') }));
  });
}

function tiesOf(text: string, language: Language): 'rank' | 'random' {
  if (text === 'rank' || text === 'random') return text;
  throw new BadInput(message(language, 'replay.bad.ties', { text }));
}

/** Names between commas, each once. */
export function list(text: string): string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))];
}
