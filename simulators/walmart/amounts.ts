/** How the older generation writes amounts and quantities. */

/** Whole amounts lose their decimals. */
export function mxn(amount: string) {
  return { currency: 'MXN', amount: amount.replace(/\.00$/, '') };
}

export function each(quantity: number) {
  return { unitOfMeasurement: 'EACH', amount: String(quantity) };
}
