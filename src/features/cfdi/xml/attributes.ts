import { type Decimal, parseDecimal } from '../../../platform/money.ts';
import { DocumentRefusal } from './refusal.ts';

const LONGEST = 5_000;
const LONGEST_RFC = 13;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** As `xs:decimal`: without an exponent. Some programs leave out the zero before the point. */
const AMOUNT = /^[+-]?(\d+(?:\.\d*)?|\.\d+)$/;
const TIMES = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?$/;

type Values = ReadonlyMap<string, string>;

/** The attributes of one element. A fault names the element and the attribute. */
export class Attributes {
  readonly #path: string;
  readonly #values: Values;

  /** @param values by name; the SAT's attributes have no prefix */
  constructor(path: string, values: Values) {
    this.#path = path;
    this.#values = values;
  }

  /** Null where it is missing or empty. */
  text(name: string): string | null {
    const value = this.#values.get(name)?.trim() ?? '';
    if (value.length > LONGEST) throw this.fault(name, 'es demasiado largo');
    return value === '' ? null : value;
  }

  needed(name: string): string {
    return this.text(name) ?? this.#missing(name);
  }

  amount(name: string): Decimal | null {
    const text = this.text(name);
    if (text === null) return null;
    const amount = AMOUNT.test(text) ? parseDecimal(text) : null;
    return amount ?? this.#wrong(name, 'no es un importe');
  }

  neededAmount(name: string): Decimal {
    return this.amount(name) ?? this.#missing(name);
  }

  /** In upper case. */
  neededUuid(name: string): string {
    const text = this.needed(name);
    return UUID.test(text) ? text.toUpperCase() : this.#wrong(name, 'no es un folio fiscal');
  }

  /** @param former the name of an older version, which goes first where it is there */
  neededRfc(given: string, former = given): string {
    const name = this.text(former) === null ? given : former;
    const text = this.needed(name);
    return text.length <= LONGEST_RFC ? text : this.#wrong(name, 'no es un RFC');
  }

  /** A local time as the SAT writes it; some certificates have an offset. */
  neededTimes(name: string): string {
    const text = this.needed(name);
    return TIMES.test(text) ? text : this.#wrong(name, 'no es una fecha con hora');
  }

  /** The end of a long text, such as a seal. */
  end(name: string, length: number): string | null {
    const text = this.#values.get(name)?.trim() ?? '';
    return text === '' ? null : text.slice(-length);
  }

  fault(name: string, detail: string): DocumentRefusal {
    return new DocumentRefusal('dato_invalido', `${shown(this.#path)}/@${name}`, detail);
  }

  #missing(name: string): never {
    throw this.fault(name, 'falta');
  }

  #wrong(name: string, detail: string): never {
    throw this.fault(name, detail);
  }
}

/** A path as people read it: without the prefixes of its elements. */
export function shown(path: string): string {
  return path
    .split('/')
    .map((name) => name.slice(name.indexOf(':') + 1))
    .join('/');
}
