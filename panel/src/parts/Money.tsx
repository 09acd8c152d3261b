import { moneyText } from '../format.ts';
import { words } from '../words.ts';

/** An amount with its currency; `absent` where the marketplace does not give it. */
export function Money({
  amount,
  currency,
  absent = words.parts.none,
}: {
  amount: number | null | undefined;
  currency: string;
  absent?: string;
}) {
  if (amount === null || amount === undefined) return <span className="faint">{absent}</span>;
  return <span className="money">{moneyText(amount, currency)}</span>;
}
