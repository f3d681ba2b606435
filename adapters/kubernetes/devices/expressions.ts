import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { SemVer, valid } from 'semver';
import { err, ok, type Result } from '@springtide/core/base';
import { quantityNano } from '../quantity.ts';

/**
 * CEL expressions that select devices (DRA): the language itself, with quantities and semantic versions as Kubernetes
 * has them. What Kubernetes has beyond that (URLs, IP addresses, sets, regular expressions but `matches`) is refused
 * when an expression is read. Kubernetes bounds what an expression may cost when it is written; here its size is bounded.
 */

/** What an expression sees as `device`. */
export interface DeviceFacts {
  readonly driver: string;
  readonly allowMultipleAllocations: boolean;
  /** By domain, then by name. */
  readonly attributes: ReadonlyMap<string, ReadonlyMap<string, AttributeValue>>;
  readonly capacity: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
}

export type AttributeValue = string | bigint | boolean | Semver;

/** An amount in billionths. */
export class Quantity {
  readonly nano: bigint;

  constructor(nano: bigint) {
    this.nano = nano;
  }
}

export class Semver {
  readonly version: SemVer;

  constructor(version: SemVer) {
    this.version = version;
  }

  /** Null where the text is no semantic version. */
  static parse(text: string): Semver | null {
    return valid(text) === null || /^[v=]/.test(text) ? null : new Semver(new SemVer(text));
  }
}

/** An expression that was read. */
export interface Selector {
  /** Whether it admits a device; an error where it fails on it. */
  readonly admits: (device: DeviceFacts) => Result<boolean, string>;
}

const LIMITS = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };

/** As long as the API server lets them be. */
const LENGTH_MAX = 10 * 1024;

const IN_DOMAINS = /\bin\s+device\s*\.\s*(?:attributes|capacity)\b(?!\s*[.[])/;

/** Reads an expression; an error says what is not understood, in English. */
export function readSelector(expression: string): Result<Selector, string> {
  if (expression.length > LENGTH_MAX) return err(`longer than ${LENGTH_MAX} characters`);
  // Every domain is found there, so that the answer would always be yes.
  if (IN_DOMAINS.test(expression)) return err('it asks which domains there are: ask for an attribute with has()');
  try {
    const program = ENVIRONMENT.parse(withOwnNames(expression));
    const { valid: isValid, type, error } = program.check();
    if (!isValid) return err(error?.summary ?? 'it cannot be read');
    if (type !== 'bool' && type !== 'dyn') return err(`it gives ${type ?? 'nothing'}, not true or false`);
    return ok({ admits: (device) => evaluate(program, device) });
  } catch (error) {
    return err(summaryOf(error));
  }
}

function evaluate(program: ParseResult, device: DeviceFacts): Result<boolean, string> {
  try {
    const value: unknown = program({ device: shown(device) });
    return typeof value === 'boolean' ? ok(value) : err('it gives neither true nor false');
  } catch (error) {
    return err(summaryOf(error));
  }
}

/** Whatever a library throws: expressions are written by users, and must not stop the scheduler. */
function summaryOf(error: unknown): string {
  const { summary, message } = error as { readonly summary?: string; readonly message?: string };
  return (summary ?? message ?? 'it cannot be read').split('\n')[0] ?? '';
}

/** Domains that a device has nothing of are there, and empty. */
function shown({ attributes, capacity, ...device }: DeviceFacts): object {
  return { ...device, attributes: withDefault(attributes), capacity: withDefault(capacity) };
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();

function withDefault<V>(domains: ReadonlyMap<string, ReadonlyMap<string, V>>): Map<string, ReadonlyMap<string, V>> {
  const map = new Map(domains);
  // The evaluator knows maps by their class, so that a subclass would be none.
  map.get = (domain) => domains.get(domain) ?? EMPTY;
  return map;
}

const TOKEN =
  /"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\.\s*matches(?=\s*\()|(?<![\w.])has(?=\s*\()/g;

/**
 * Two functions of the library are ours: `has` for what is found by an index, such as
 * `has(device.attributes["gpu.example.com"].model)`, and `matches` in linear time, as pods of any user may ask for it.
 */
function withOwnNames(expression: string): string {
  return expression.replace(TOKEN, (token) => {
    if (token === 'has') return 'hasField';
    return token.startsWith('.') ? '.matchesLinear' : token;
  });
}

interface Node {
  readonly op: string;
  /** Of a field: what has it, and its name; of a variable: its name. */
  readonly args: readonly [Node, string] | string;
}

interface Macro {
  readonly receiver: Node;
  readonly field: string;
}

/** Those methods of the library's evaluator and checker that a macro needs. */
interface Checker {
  readonly check: (node: Node, context: unknown) => unknown;
  readonly getType: (name: string) => unknown;
}
interface Evaluator {
  readonly run: (node: Node, context: unknown) => unknown;
}

/** `has(e.f)`: whether a map has a field. A device itself has all the fields that the checker lets through. */
function hasField({ args: [node] }: { readonly args: readonly [Node] }): object {
  if (node.op !== '.' || typeof node.args === 'string') throw new Error('has() asks for a field, as in has(a.b)');
  const [receiver, field] = node.args;
  return {
    receiver,
    field,
    typeCheck: (checker: Checker, macro: Macro, context: unknown) => {
      checker.check(macro.receiver, context);
      return checker.getType('bool');
    },
    evaluate: (evaluator: Evaluator, macro: Macro, context: unknown) => {
      if (macro.receiver.op === 'id' && macro.receiver.args === 'device') return true;
      const found = evaluator.run(macro.receiver, context);
      return found instanceof Map && found.has(macro.field);
    },
  };
}

/** Patterns that were read; when full they are forgotten and read again. */
const PATTERNS_MAX = 1000;
const PATTERNS = new Map<string, RE2JS>();

function matchesLinear(text: string, pattern: string): boolean {
  let read = PATTERNS.get(pattern);
  if (read === undefined) {
    if (PATTERNS.size >= PATTERNS_MAX) PATTERNS.clear();
    read = RE2JS.compile(pattern);
    PATTERNS.set(pattern, read);
  }
  return read.matcher(text).find();
}

function quantityOf(text: string): Quantity {
  const nano = quantityNano(text);
  if (typeof nano !== 'bigint') throw new Error(`${text} is no quantity`);
  return new Quantity(nano);
}

function semverOf(text: string): Semver {
  const version = Semver.parse(text);
  if (version === null) throw new Error(`${text} is no semantic version`);
  return version;
}

function order<T>(left: T, right: T): bigint {
  return left < right ? -1n : left > right ? 1n : 0n;
}

const UNIT = 1_000_000_000n;

function newEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  })
    .registerType('Quantity', Quantity)
    .registerType('Semver', Semver)
    .registerVariable({
      name: 'device',
      schema: {
        driver: 'string',
        allowMultipleAllocations: 'bool',
        attributes: 'map<string, map<string, dyn>>',
        capacity: 'map<string, map<string, Quantity>>',
      },
    })
    .registerFunction('hasField(ast): bool', hasField)
    .registerFunction('string.matchesLinear(string): bool', matchesLinear);
  return withSemvers(withQuantities(environment));
}

function withQuantities(environment: Environment): Environment {
  return environment
    .registerFunction('quantity(string): Quantity', quantityOf)
    .registerFunction('isQuantity(string): bool', (text: string) => typeof quantityNano(text) === 'bigint')
    .registerFunction('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) => order(a.nano, b.nano))
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: Quantity, b: Quantity) => a.nano > b.nano)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: Quantity, b: Quantity) => a.nano < b.nano)
    .registerFunction('Quantity.isInteger(): bool', (a: Quantity) => a.nano % UNIT === 0n)
    .registerFunction('Quantity.asInteger(): int', (a: Quantity) => a.nano / UNIT)
    .registerFunction('Quantity.asApproximateFloat(): double', (a: Quantity) => Number(a.nano) / 1e9)
    .registerFunction('Quantity.sign(): int', (a: Quantity) => order(a.nano, 0n))
    .registerFunction('Quantity.add(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nano + b.nano))
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nano - b.nano))
    .registerOperator('Quantity == Quantity', (a: Quantity, b: Quantity) => a.nano === b.nano);
}

function withSemvers(environment: Environment): Environment {
  const compare = (a: Semver, b: Semver): number => a.version.compare(b.version);
  return environment
    .registerFunction('semver(string): Semver', semverOf)
    .registerFunction('isSemver(string): bool', (text: string) => Semver.parse(text) !== null)
    .registerFunction('Semver.compareTo(Semver): int', (a: Semver, b: Semver) => BigInt(compare(a, b)))
    .registerFunction('Semver.isGreaterThan(Semver): bool', (a: Semver, b: Semver) => compare(a, b) > 0)
    .registerFunction('Semver.isLessThan(Semver): bool', (a: Semver, b: Semver) => compare(a, b) < 0)
    .registerFunction('Semver.major(): int', (a: Semver) => BigInt(a.version.major))
    .registerFunction('Semver.minor(): int', (a: Semver) => BigInt(a.version.minor))
    .registerFunction('Semver.patch(): int', (a: Semver) => BigInt(a.version.patch))
    .registerOperator('Semver == Semver', (a: Semver, b: Semver) => compare(a, b) === 0);
}

const ENVIRONMENT = newEnvironment();
