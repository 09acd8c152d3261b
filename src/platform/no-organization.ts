/** In place of an organisation's id where there is none; stored boxes are bound to it. */
export const NO_ORGANIZATION = 'house';
