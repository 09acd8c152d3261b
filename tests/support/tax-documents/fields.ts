import { childrenOf, type Element } from './element.ts';

/** Why a document has to be refused: where the fault is, as people read it; null = everywhere. */
export class Expected extends Error {
  readonly reason: string;
  readonly path: string | null;

  constructor(reason: string, path: string | null = null) {
    super(`${reason} ${path}`);
    this.reason = reason;
    this.path = path;
  }
}

const AMOUNT = /^[+-]?(\d{1,15}(\.\d{0,20})?|\.\d{1,20})$/;
const UUID = /^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
const LONGEST = 5_000;

/** The attributes of one element, as the record has to have them. */
export class Fields {
  readonly element: Element;
  readonly path: string;

  constructor(element: Element, path: string) {
    this.element = element;
    this.path = path;
  }

  text(name: string): string | null {
    const value = this.element.attributes.get(name)?.trim() ?? '';
    if (value.length > LONGEST) this.refuse(name);
    return value === '' ? null : value;
  }

  needed(name: string): string {
    return this.text(name) ?? this.refuse(name);
  }

  amount(name: string): string | null {
    const value = this.text(name);
    if (value === null) return null;
    if (!AMOUNT.test(value)) this.refuse(name);
    const [, sign = '', whole = '', rest = ''] = /^\+?(-?)0*(\d*)(\.\d+)?/.exec(value) ?? [];
    return `${sign}${whole || '0'}${rest}`;
  }

  neededAmount(name: string): string {
    return this.amount(name) ?? this.refuse(name);
  }

  uuid(name: string): string {
    const value = this.needed(name).toUpperCase();
    return UUID.test(value) ? value : this.refuse(name);
  }

  time(name: string): string {
    const value = this.needed(name);
    return TIME.test(value) ? value : this.refuse(name);
  }

  /** The children of one name, in the namespace of this element or another one. */
  all(name: string, namespace = this.element.namespace): Fields[] {
    return childrenOf(this.element, namespace, name).map(
      (child) => new Fields(child, `${this.path}/${name}`),
    );
  }

  /** The children that there may be one of at most. */
  one(name: string, namespace = this.element.namespace): Fields | null {
    const [found = null, second] = this.all(name, namespace);
    if (second) throw new Expected('dato_invalido', second.path);
    return found;
  }

  theOne(name: string): Fields {
    return this.one(name) ?? this.missing(name);
  }

  refuse(name: string): never {
    throw new Expected('dato_invalido', `${this.path}/@${name}`);
  }

  missing(name: string): never {
    throw new Expected('dato_invalido', `${this.path}/${name}`);
  }
}
