/** Sentences about payouts and the movements that they are made of. */
import * as codes from '../../src/words/codes.ts';

export const movementKinds: Readonly<Record<string, string>> = codes.movementKinds;

/** What Amazon calls its purses. */
export const purses: Readonly<Record<string, string>> = codes.purses;

interface LineAmounts {
  readonly sold: number;
  readonly refunded: number;
  readonly fees: number;
  readonly withheld: number;
  readonly other: number;
}

export const payoutWords = {
  one: (id: string) => `Pago ${id}`,
  reference: (reference: string) => `referencia ${reference}`,
  matched: 'Los movimientos coinciden con el pago al centavo.',
  difference: 'Falta explicar',
  growing: 'Este pago todavía puede cambiar. Diferencia con los movimientos que ya leímos:',
  unknown:
    'No tenemos los movimientos de este pago: todavía no se leen, o el marketplace no los entrega.',
  carried: 'Saldo anterior',
  left: 'Se quedó en la cuenta',
  lines: 'De qué se compone',
  more: 'Ver más',
  back: 'Volver al pago',
  parts: ({ sold, refunded, fees, withheld, other }: LineAmounts): [string, number][] => {
    const all: [string, number][] = [
      ['Venta', sold],
      ['Reembolso', -refunded],
      ['Cargos', -fees],
      ['Impuestos', -withheld],
      ['Otros', other],
    ];
    return all.filter(([, amount]) => amount !== 0);
  },
};
