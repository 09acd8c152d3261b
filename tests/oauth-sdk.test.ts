import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auth as authNow } from '@modelcontextprotocol/client';
import { auth as authBefore } from '@modelcontextprotocol/sdk/client/auth.js';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openAgentStage } from './support/agent.ts';
import { consent } from './support/agent-client.ts';
import { openKeeper } from './support/sdk-agent.ts';

// The two clients that agents are built with find their way by themselves.

const stage = await openAgentStage(WHOLE_FILE);

for (const [version, auth] of [
  ['2.4', authNow],
  ['1.32', authBefore],
] as const) {
  test(`the client of version ${version} discovers, registers, asks, fetches tokens and renews them`, async () => {
    const [person, keeper] = [await stage.person(), openKeeper('http://127.0.0.1:33418/callback')];
    const options = { serverUrl: stage.resource };

    const first = await auth(keeper as never, options);
    const asked = keeper.kept.url as URL;
    const back = await consent(person.browser, asked.href);
    const code = back.searchParams.get('code') as string;
    const second = await auth(
      keeper as never,
      {
        ...options,
        authorizationCode: code,
        iss: back.searchParams.get('iss') as string,
      } as never,
    );
    const before = keeper.tokens();
    const third = await auth(keeper as never, options);

    assert.deepEqual([first, second, third], ['REDIRECT', 'AUTHORIZED', 'AUTHORIZED']);
    assert.equal(asked.searchParams.get('resource'), stage.resource);
    assert.equal(await stage.call(keeper.tokens().access_token), 200);
    assert.notEqual(keeper.tokens().refresh_token, before.refresh_token);
  });
}
