/** The hook: one address per application key, greeted with a ping, unsigned. */
import { post, type Routes } from '../http.ts';
import type { Change } from '../world.ts';
import { written } from './facts.ts';
import { type FeedConfig, passes, type StateChange, stateChangesOf } from './feed.ts';
import { refuse, type Shop } from './shop.ts';

interface HookConfig {
  readonly filter: FeedConfig['filter'];
  readonly hook: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
}

export interface Hook {
  config(): HookConfig | null;
  /** As another system of the seller's would. */
  configure(config: HookConfig | null): void;
  /**
   * Sends what happened since the last time. @returns the status of each answer; 0 = none within 5
   * s
   */
  flush(): Promise<number[]>;
}

const PATIENCE = 5_000;

export function createHook(shop: Shop): Hook & { routes: Routes } {
  let kept: HookConfig | null = null;
  let pull: () => Change[] = () => [];

  function configure(config: HookConfig | null): void {
    kept = config;
    pull = shop.world.watch();
  }

  function notice({ orderId, state, lastState, at }: StateChange) {
    return {
      Domain: 'Fulfillment',
      OrderId: orderId,
      State: state,
      LastState: lastState,
      LastChange: written(at),
      CurrentChange: written(at),
      Origin: { Account: shop.account, Key: shop.appKey },
    };
  }

  return {
    config: () => kept,
    configure,
    async flush() {
      const statuses: number[] = [];
      for (const reported of pull().flatMap(stateChangesOf))
        if (kept && passes(kept.filter, reported.state))
          statuses.push(await send(kept.hook, notice(reported)));
      return statuses;
    },
    routes: {
      'GET /api/orders/hook/config': (call) => {
        shop.admit(call, 'feed');
        if (!kept) throw refuse(404, 'OMS404', 'Hook configuration not found');
        return { body: kept };
      },
      'POST /api/orders/hook/config': async (call) => {
        shop.admit(call, 'feed');
        const config = call.json() as HookConfig;
        if ((await send(config.hook, { hookConfig: 'ping' })) !== 200)
          throw refuse(400, 'OMS001', 'The hook url did not answer the ping');
        configure(config);
        return { body: '' };
      },
      'DELETE /api/orders/hook/config': (call) => {
        shop.admit(call, 'feed');
        configure(null);
        return { status: 204 };
      },
    },
  };
}

function send({ url, headers = {} }: HookConfig['hook'], body: unknown): Promise<number> {
  return post(
    url,
    { ...headers, 'content-type': 'application/json' },
    JSON.stringify(body),
    PATIENCE,
  );
}
