import type { ReadScope, WriteScope } from '../../platform/db/database.ts';

/** What only the endpoint's requests need, out of its boxes. */
export interface OpenedEndpoint {
  /** The current one first. */
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export async function sealSecret(scope: WriteScope, id: string, secret: string): Promise<Buffer> {
  return (await scope.vault()).seal(bindingOf(id, 'secret'), Buffer.from(secret));
}

/** @returns null where there are none */
export async function sealHeaders(
  scope: WriteScope,
  id: string,
  headers: Readonly<Record<string, string>>,
): Promise<Buffer | null> {
  if (Object.keys(headers).length === 0) return null;
  return (await scope.vault()).seal(bindingOf(id, 'headers'), Buffer.from(JSON.stringify(headers)));
}

/** @throws SealError where a box was altered or its key is not at hand */
export async function openBoxes(
  scope: ReadScope,
  id: string,
  boxes: { readonly secrets: readonly Buffer[]; readonly headers: Buffer | null },
): Promise<OpenedEndpoint> {
  const vault = await scope.vault();
  return {
    secrets: boxes.secrets.map((box) => vault.open(bindingOf(id, 'secret'), box).toString()),
    headers:
      boxes.headers === null
        ? {}
        : JSON.parse(vault.open(bindingOf(id, 'headers'), boxes.headers).toString()),
  };
}

function bindingOf(id: string, field: 'secret' | 'headers'): readonly string[] {
  return ['webhook_endpoint', id, field];
}
