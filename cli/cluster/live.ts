import { systemClock } from '@springtide/adapters/clock';
import { ApiClient, type ApiRequest, type ConnectionConfig, Transport } from '@springtide/adapters/kubernetes/client';
import { type Language, message } from '@springtide/wire/messages';
import { connectionAsked, type LiveOptions } from '../service/index.ts';
import { BadInput } from '../terminal/index.ts';

export { addLiveOptions, type LiveOptions } from '../service/index.ts';

export interface Live {
  readonly client: Pick<ApiClient, 'request'>;
  readonly config: ConnectionConfig;
}

/** A server that asks to come back later is asked again, so often. */
const TRIES = 6;
const LATER_MS = 1000;

/** A command has time: it does what a server asks for that is busy. */
function patient(client: ApiClient): Live['client'] {
  const request = async (asked: ApiRequest): ReturnType<ApiClient['request']> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await client.request(asked);
      if (answer.ok || answer.error.code !== 'throttled' || tries === TRIES) return answer;
      const { retryAfterMs } = answer.error;
      await new Promise<void>((resolve) => void systemClock.after(retryAfterMs ?? LATER_MS, resolve));
    }
  };
  return { request };
}

/** More are of no use to a command that asks one thing after the other. */
const CONNECTIONS_MAX = 4;

/** Speaks to the cluster that the options name, and lets go of it when `use` is done. */
export async function withLive<T>(
  options: LiveOptions,
  language: Language,
  use: (live: Live) => Promise<T>,
): Promise<T> {
  const asked = connectionAsked(options);
  if (!asked.ok) throw new BadInput(message(language, 'cluster.bad.nowhere', { why: asked.error.message }));
  const config = asked.value;
  const transport = new Transport(config, systemClock, CONNECTIONS_MAX);
  // The clock's timers keep no process alive, and a command may have to wait.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await use({ client: patient(new ApiClient(transport, systemClock)), config });
  } finally {
    clearInterval(alive);
    await transport.close();
  }
}
