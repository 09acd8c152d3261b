import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import {
  decrypt,
  derive,
  encrypt,
  type Keyring,
  type SealBinding,
  SealError,
  seal,
  unsealOrNull,
} from '../seal.ts';
import { type Statement, statement } from './query.ts';

/**
 * Seals what an organisation keeps of buyers, with a key of its own: the master key is changed
 * without touching it.
 */
export interface Vault {
  /** Encrypted, and bound to what it belongs to in the organisation. */
  seal(binding: readonly string[], content: Buffer): Buffer;
  /** @throws SealError where it was altered or moved, or its key is not at hand */
  open(binding: readonly string[], box: Buffer): Buffer;
  /**
   * 32 bytes by which contents of one binding are compared; without the key a guess of the content
   * cannot be tried. Another data key gives another one.
   */
  digest(binding: readonly string[], content: Buffer): Buffer;
}

export interface Vaults {
  find(scope: Reader): Promise<Vault>;
  /**
   * Makes the organisation's key where none opens. @throws SealError where there is no master key
   */
  findOrMake(scope: Writer): Promise<Vault>;
}

/** What is needed of a scope to find a key. */
interface Reader {
  readonly organizationId: string;
  prepared<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** What is needed to make one. */
interface Writer extends Reader {
  readonly clock: Clock;
  afterCommit(work: () => void): void;
}

export interface KeyRow {
  readonly organization_id: string;
  readonly id: string;
  readonly box: string;
}

const OF_ORGANIZATION = statement<KeyRow>(
  'vault.keys',
  'select organization_id, id, box from data_keys where organization_id = $1 order by made_at, id',
);
const LOCK = statement<object>(
  'vault.lock',
  'select from organizations where id = $1 for no key update',
);
const ADD = statement<object>(
  'vault.add-key',
  'insert into data_keys (organization_id, id, box, made_at) values ($1, $2, $3, $4)',
);
const KEY_BYTES = 32;
const ID_BYTES = 16;
/** Less than a kilobyte each. */
const MOST_REMEMBERED = 10_000;

/**
 * Remembers the vaults that were used last. @param keyring null = nothing can be sealed or opened
 */
export function openVaults(keyring: Keyring | null): Vaults {
  const known = new Map<string, Vault>();
  const remember = (organizationId: string, vault: Vault) => {
    known.delete(organizationId);
    known.set(organizationId, vault);
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  const remembered = ({ organizationId }: Reader): Vault | undefined => {
    const vault = known.get(organizationId);
    if (vault) remember(organizationId, vault);
    return vault;
  };
  return {
    async find(scope) {
      const ready = remembered(scope);
      if (ready) return ready;
      const keys = await keysOf(scope, keyring);
      const vault = vaultOf(scope, keys);
      if (keys.size > 0) remember(scope.organizationId, vault);
      return vault;
    },
    async findOrMake(scope) {
      const ready = remembered(scope);
      if (ready) return ready;
      const found = await keysOf(scope, keyring);
      const vault = vaultOf(scope, found.size > 0 ? found : await makeKey(scope, keyring));
      // A key that this transaction made is lost where it does not end well, and so would be what
      // it sealed.
      scope.afterCommit(() => remember(scope.organizationId, vault));
      return vault;
    },
  };
}

/** @param keys by id; the last one seals */
function vaultOf({ organizationId }: Reader, keys: ReadonlyMap<string, KeyObject>): Vault {
  const boundBytes = (binding: readonly string[]) =>
    Buffer.from(JSON.stringify([organizationId, ...binding]));
  const current = () => {
    const newest = [...keys].at(-1);
    if (!newest) throw new SealError('the organisation has no data key');
    return newest;
  };
  return {
    seal(binding, content) {
      const [id, key] = current();
      return Buffer.concat([bytesOf(id), encrypt(key, boundBytes(binding), content)]);
    },
    open(binding, box) {
      const key = keys.get(idOf(box.subarray(0, ID_BYTES)));
      if (!key) throw new SealError('the data key of the box is not at hand');
      return decrypt(key, boundBytes(binding), box.subarray(ID_BYTES));
    },
    digest(binding, content) {
      const [, key] = current();
      const mac = createHmac('sha256', derive(key, 'digest'));
      return mac.update(boundBytes(binding)).update('\n').update(content).digest();
    },
  };
}

/** By id, the oldest first. One that no master key opens is as good as lost. */
async function keysOf(scope: Reader, keyring: Keyring | null): Promise<Map<string, KeyObject>> {
  if (!keyring) return new Map();
  const keys = new Map<string, KeyObject>();
  for (const { organization_id, id, box } of await scope.prepared(OF_ORGANIZATION, [])) {
    const text = unsealOrNull(keyring, dataKeyBindingOf(organization_id, id), box);
    if (text !== null) keys.set(id, createSecretKey(Buffer.from(text, 'base64')));
  }
  return keys;
}

/** Of several processes that need one at once, one makes it, and the others find it. */
async function makeKey(scope: Writer, keyring: Keyring | null): Promise<Map<string, KeyObject>> {
  if (!keyring) throw new SealError('there is no master key at hand');
  await scope.prepared(LOCK, []);
  const found = await keysOf(scope, keyring);
  if (found.size > 0) return found;
  const [id, key] = [newId(), randomBytes(KEY_BYTES)];
  const box = seal(keyring, dataKeyBindingOf(scope.organizationId, id), key.toString('base64'));
  await scope.prepared(ADD, [id, box, scope.clock.now().toString()]);
  return new Map([[id, createSecretKey(key)]]);
}

/** Of the box in which a key is stored. */
export function dataKeyBindingOf(organizationId: string, id: string): SealBinding {
  return { organizationId, subjectId: id, field: 'data_key' };
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
