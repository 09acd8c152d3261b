/** The sentences of an organisation with sample orders. */
export const sampleWords = {
  notice: 'Estás viendo órdenes de ejemplo: ninguna es real.',
  remove: 'Eliminar el ejemplo',
  removing: 'Eliminando…',
  notRemoved: 'No se eliminó el ejemplo',
  see: 'Ver un ejemplo con órdenes',
  making: 'Preparando el ejemplo…',
  notMade: 'No se preparó el ejemplo',
  accounts: 'El ejemplo no tiene cuentas. Las tuyas se conectan en tu organización.',
} as const;
