/** Invented goods, people and places of a Mexican shop. */

/**
 * Title, price in MXN, weight in grams, and, where it comes in several kinds, what they are called.
 */
export const GOODS: readonly (readonly [
  string,
  string,
  number,
  (readonly [string, readonly string[]])?,
])[] = [
  ['Audífonos inalámbricos con estuche de carga', '499.00', 180],
  ['Playera básica de algodón', '189.00', 200, ['Talla', ['CH', 'M', 'G', 'XG']]],
  ['Cafetera de goteo 12 tazas', '849.90', 2300],
  ['Juego de 6 vasos de vidrio soplado', '420.00', 1900],
  ['Mochila escolar reforzada', '379.00', 750, ['Color', ['Negro', 'Azul marino', 'Vino']]],
  ['Lámpara de escritorio LED regulable', '315.50', 900],
  ['Molcajete de piedra volcánica 20 cm', '690.00', 6200],
  ['Tenis deportivos ligeros', '949.00', 820, ['Talla', ['25', '26', '27', '28']]],
  ['Cable USB-C reforzado 2 m', '119.00', 60],
  ['Sartén antiadherente 28 cm', '449.50', 1300],
  ['Cobija térmica matrimonial', '529.00', 1800, ['Color', ['Gris', 'Beige']]],
  ['Termo de acero inoxidable 1 l', '289.90', 450],
  ['Rompecabezas de 1000 piezas Pueblos Mágicos', '259.00', 700],
  ['Taladro percutor 600 W', '1199.00', 2400],
  ['Báscula digital de cocina', '229.00', 400],
  ['Café molido de altura 1 kg', '310.00', 1000],
  ['Set de 12 plumones punta de pincel', '149.00', 220],
  ['Silla plegable para campamento', '599.00', 3100],
  ['Bocina portátil contra agua', '729.00', 560],
  ['Cartera de piel grabada', '345.00', 120, ['Color', ['Café', 'Negro']]],
  ['Hamaca de algodón yucateca', '879.00', 1500],
  ['Control inalámbrico para videojuegos', '659.00', 300],
  ['Maceta de barro pintada a mano', '210.00', 1700],
  ['Impermeable para bicicleta', '399.00', 480, ['Talla', ['CH', 'M', 'G']]],
];

export const FIRST_NAMES = [
  'María Fernanda',
  'José Luis',
  'Guadalupe',
  'Ángel',
  'Sofía',
  'Íñigo',
  'Ximena',
  'Raúl',
  'Daniela',
  'Héctor',
  'Ana Lucía',
  'Emiliano',
  'Begoña',
  'Óscar',
  'Itzel',
  'Nicolás',
] as const;

export const LAST_NAMES = [
  'García',
  'Hernández',
  'López',
  'Muñoz',
  'Peña',
  'Núñez',
  'Castañeda',
  'Ordóñez',
  'Ramírez',
  'de la Cruz',
  'Vázquez',
  'Zúñiga',
  'Aguilar',
  'Ibáñez',
] as const;

/** Municipality, state, ISO 3166-2 code, postal code, street. */
export const PLACES = [
  ['Cuauhtémoc', 'Ciudad de México', 'MX-CMX', '06600', 'Avenida de los Fresnos'],
  ['Guadalajara', 'Jalisco', 'MX-JAL', '44100', 'Calle del Naranjo'],
  ['Monterrey', 'Nuevo León', 'MX-NLE', '64000', 'Calzada del Cerro'],
  ['Puebla', 'Puebla', 'MX-PUE', '72000', 'Calle de la Talavera'],
  ['Mérida', 'Yucatán', 'MX-YUC', '97000', 'Calle 59'],
  ['Tijuana', 'Baja California', 'MX-BCN', '22000', 'Boulevard del Pacífico'],
  ['León', 'Guanajuato', 'MX-GUA', '37000', 'Calle de los Zapateros'],
  ['Oaxaca de Juárez', 'Oaxaca', 'MX-OAX', '68000', 'Calle del Copal'],
  ['Querétaro', 'Querétaro', 'MX-QUE', '76000', 'Calle del Acueducto'],
] as const;
