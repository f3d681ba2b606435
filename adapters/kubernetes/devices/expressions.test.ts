import { describe, expect, test } from 'vitest';
import { type AttributeValue, type DeviceFacts, Quantity, readSelector, Semver } from './expressions.ts';

const GIB = 1024n ** 3n * 1_000_000_000n;

const ATTRIBUTES = new Map<string, AttributeValue>([
  ['productName', 'NVIDIA A100-SXM4-80GB'],
  ['index', 5n],
  ['isMig', false],
  ['driverVersion', Semver.parse('570.86.15') as Semver],
]);

const DEVICE: DeviceFacts = {
  driver: 'gpu.nvidia.com',
  allowMultipleAllocations: false,
  attributes: new Map([['gpu.nvidia.com', ATTRIBUTES]]),
  capacity: new Map([['gpu.nvidia.com', new Map([['memory', new Quantity(80n * GIB)]])]]),
};

/** What an expression says of the device: true, false, or why it says nothing. */
function verdict(expression: string): boolean | string {
  const read = readSelector(expression);
  if (!read.ok) return `refused: ${read.error}`;
  const answer = read.value.admits(DEVICE);
  return answer.ok ? answer.value : `fails: ${answer.error}`;
}

/** `a` stands for the attributes of the driver, `c` for its capacity. */
function of(expression: string): string {
  return expression
    .replace(/\ba\./g, 'device.attributes["gpu.nvidia.com"].')
    .replace(/\bc\./g, 'device.capacity["gpu.nvidia.com"].');
}

describe('expressions that select devices', () => {
  test.each([
    'device.driver == "gpu.nvidia.com"',
    'device.driver in ["other", "gpu.nvidia.com"] && !(device.driver != "gpu.nvidia.com")',
    'a.productName.lowerAscii().contains("a100")',
    'a.productName.startsWith("NVIDIA") && a.productName.endsWith("80GB")',
    'a.productName.matches("^NVIDIA A[0-9]+-SXM4")',
    'a.index >= 5 && a.index < 6 && a.index in [1, 5] && a.isMig == false',
    'c.memory.compareTo(quantity("10Gi")) >= 0',
    'c.memory.isGreaterThan(quantity("79Gi")) && c.memory == quantity("80Gi") && c.memory.isLessThan(quantity("1Ti"))',
    'c.memory.sub(quantity("16Gi")).compareTo(quantity("64Gi")) == 0',
    'a.driverVersion.compareTo(semver("560.0.0")) > 0 && a.driverVersion.major() == 570',
    'a.driverVersion.isGreaterThan(semver("570.9.0"))',
    'has(a.productName) && !has(a.missing) && !has(device.attributes["other.example.com"].x) && has(device.driver)',
    'device.attributes["other.example.com"].?model.orValue("none") == "none"',
    '"productName" in device.attributes["gpu.nvidia.com"] && !("x" in device.attributes["gpu.nvidia.com"])',
    'cel.bind(own, device.attributes["gpu.nvidia.com"], own.index == 5 && !own.isMig)',
    '["A100", "H100"].exists(name, a.productName.contains(name))',
    'a.index > 3 ? a.isMig == false : false',
    '!device.allowMultipleAllocations',
    'device.driver == "has(x) .matches(" || true',
  ])('%s', (expression) => {
    expect(verdict(of(expression))).toBe(true);
  });

  test('an attribute that a device has not makes an expression fail on it, unless it is not reached', () => {
    expect(verdict(of('a.missing == "x"'))).toBe('fails: No such key: missing');
    expect(verdict('device.attributes["other.example.com"].model == "x"')).toBe('fails: No such key: model');
    expect(verdict(of('device.driver == "other" && a.missing == "x"'))).toBe(false);
    expect(verdict(of('a.productName == 5'))).toBe(false);
  });

  test('what is beyond the subset, no expression at all, or gives no verdict, is refused when it is read', () => {
    expect(verdict('ip("10.0.0.1").family() == 4')).toMatch(/^refused: .*ip/);
    expect(verdict('"x" in device.attributes')).toMatch(/^refused: it asks which domains there are/);
    expect(verdict('device.driver')).toBe('refused: it gives string, not true or false');
    expect(verdict('device.model == "a"')).toMatch(/^refused: No such key: model/);
    expect(verdict('device.driver ==')).toMatch(/^refused: /);
    expect(verdict('')).toMatch(/^refused: /);
    expect(verdict(`"${'x'.repeat(11_000)}" == ""`)).toBe('refused: longer than 10240 characters');
    expect(verdict(`${'('.repeat(500)}true${')'.repeat(500)}`)).toMatch(/^refused: /);
    expect(verdict(of('quantity("many") == c.memory'))).toBe('fails: many is no quantity');
    expect(verdict(of('a.productName.matches("(")'))).toMatch(/^fails: /);
  });

  test('a pattern that others take forever on takes no time', () => {
    const text = `"${'a'.repeat(64)}!"`;
    const startedMs = performance.now();
    expect(verdict(`${text}.matches("^(a+)+$")`)).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
