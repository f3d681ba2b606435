import type { Result } from '@springtide/core/base';
import type { Card, CardHealth, MigOffer, Slicing } from '@springtide/core/model';
import { cardModel } from '@springtide/core/vendors';
import { type GroupAsk, type GroupRead, groupOf } from '../card-group.ts';
import { MEMORY_MIB_MAX } from './container-ask.ts';
import { ASCEND_SOFT_NODE, HAMI_DEVICE_CORDON, HAMI_KEYS } from './keys.ts';
import { decodeEnflame, decodeMetax, devicesOfCapacity } from './others.ts';
import { decodeRegister, type RegisteredDevice, type RegisteredProfile } from './register.ts';
import type { Problem } from '../problem.ts';
import { islandOf } from '../whole-cards.ts';

/** More pods than this on a card are a mistake of whoever wrote the annotation. */
const COUNT_MAX = 2 ** 16;

/** Cards that HAMi slices on this node, or null when the resource is none of its own here. */
export function hamiCards(ask: GroupAsk): GroupRead | null {
  const { node, resource } = ask;
  const keys = HAMI_KEYS.find((row) => row.resource === resource.name);
  if (keys === undefined) return null;
  const text = node.annotations.get(keys.register);
  if (text === undefined) {
    const devices = devicesOfCapacity(resource.name, node.name, node.capacity);
    return devices === null ? null : registeredCards(ask, devices);
  }
  const decoders = { devices: decodeRegister, metax: decodeMetax, enflame: decodeEnflame } as const;
  const devices: Result<RegisteredDevice[], string> = decoders[keys.form](text, node.name);
  if (devices.ok && devices.value.every(isSane)) return registeredCards(ask, devices.value);
  const problems = [{ problem: 'malformed', node: node.name, annotation: keys.register }] as const;
  return groupOf(ask, 'malformed', [], { problems });
}

function isSane(device: RegisteredDevice): boolean {
  const { count, memoryMiB, cores } = device;
  return count >= 0 && count <= COUNT_MAX && memoryMiB >= 0 && memoryMiB <= MEMORY_MIB_MAX && cores >= 0;
}

function registeredCards(ask: GroupAsk, devices: readonly RegisteredDevice[]): GroupRead {
  const { node } = ask;
  const cordoned = new Set((node.annotations.get(HAMI_DEVICE_CORDON) ?? '').split(',').map((id) => id.trim()));
  const isAlive = ask.usable > 0;
  const types = new Set(devices.map((device) => device.type));
  const cards: Card[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [position, device] of devices.entries()) {
    const id = device.id === '' ? `${node.name}/${ask.firstIndex + position}` : device.id;
    if (seen.has(id)) {
      problems.push({ problem: 'duplicate', node: node.name, card: id });
      continue;
    }
    seen.add(id);
    const model = types.size === 1 && ask.model !== '' ? ask.model : typeModel(device.type);
    const health = healthOf(device, isAlive, cordoned.has(device.id));
    cards.push(cardOf(ask, device, { id, model, island: position, health }));
  }
  const models = new Set(cards.map((card) => card.model));
  return groupOf(ask, 'hami', cards, { problems, model: models.size === 1 ? [...models].join('') : '' });
}

/** A plug-in that died leaves its annotation; a cordoned card takes no new work either. */
function healthOf(device: RegisteredDevice, isAlive: boolean, isCordoned: boolean): CardHealth {
  if (!device.isHealthy) return 'fault';
  return isAlive && !isCordoned ? 'ok' : 'unknown';
}

/** `NVIDIA-NVIDIA L20` -> `NVIDIA-L20`, as the label of the same card has it. */
function typeModel(type: string): string {
  return type.replace(/^NVIDIA-(?=NVIDIA)/, '').replaceAll(' ', '-');
}

function cardOf(ask: GroupAsk, device: RegisteredDevice, as: Pick<Card, 'id' | 'model' | 'island' | 'health'>): Card {
  const row = cardModel(ask.vendor, as.model === '' ? ask.resource.impliedModel : as.model);
  // Only NVIDIA's plug-in scales percent of compute; the others name the chip's own cores.
  const isPercent = ask.vendor.name === 'nvidia' && device.cores > 0;
  const slicing = slicingOf(ask, device, (row?.templates ?? null) !== null);
  const offers = slicing === 'mig' && device.migProfiles !== undefined ? device.migProfiles.map(offerOf) : [];
  return {
    ...as,
    vendor: ask.vendor.name,
    resource: ask.resource.name,
    memoryMiB: device.memoryMiB,
    computeMilli: isPercent ? device.cores * 10 : 1000,
    sharesMax: device.count,
    slicing,
    ...(offers.length === 0 ? {} : { migProfiles: offers.toSorted((left, right) => left.memoryMiB - right.memoryMiB) }),
    island: islandOf(row, as.island),
    numa: device.numa,
  };
}

/** Small instances and halves go high, so that slice 0 stays free for those that need it. */
const HIGH_FIRST = /^[13]g\./;

function offerOf({ name, memoryMiB, cores, places }: RegisteredProfile): MigOffer {
  const [size = 0] = places.map((place) => place.size);
  const rising = places.map(({ start }) => start).toSorted((left, right) => left - right);
  const starts = HIGH_FIRST.test(name) ? rising.toReversed() : rising;
  return { name, memoryMiB, computeMilli: cores * 10, starts, size };
}

function slicingOf(ask: GroupAsk, device: RegisteredDevice, hasTemplates: boolean): Slicing {
  if (device.mode === 'mig') return 'mig';
  if (ask.resource.slices === null) return 'none';
  const isSoft = ask.node.annotations.get(ASCEND_SOFT_NODE) === 'true';
  return hasTemplates && !isSoft ? 'template' : 'memory';
}
