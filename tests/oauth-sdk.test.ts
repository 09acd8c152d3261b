import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auth as authNow } from '@modelcontextprotocol/client';
import { auth as authBefore } from '@modelcontextprotocol/sdk/client/auth.js';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { consent, openAgentStage } from './support/agent.ts';

// The two clients that agents are built with find their way by themselves.

const stage = await openAgentStage(WHOLE_FILE);

for (const [version, auth] of [
  ['2.4', authNow],
  ['1.32', authBefore],
] as const) {
  test(`the client of version ${version} discovers, registers, asks, fetches tokens and renews them`, async () => {
    const [person, keeper] = [await stage.person(), openKeeper()];
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

interface Kept {
  url?: URL;
  client?: object;
  tokens?: { access_token: string; refresh_token: string };
  verifier?: string;
  discovery?: object;
}

/** What an agent remembers, in memory. */
function openKeeper() {
  const kept: Kept = {};
  return {
    kept,
    redirectUrl: 'http://127.0.0.1:33418/callback',
    clientMetadata: {
      client_name: 'Agente con SDK',
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation(client: object) {
      kept.client = client;
    },
    tokens: () => kept.tokens as NonNullable<Kept['tokens']>,
    saveTokens(tokens: NonNullable<Kept['tokens']>) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept.url = url;
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    state: () => 'el-estado',
    saveDiscoveryState(state: object) {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
  };
}
