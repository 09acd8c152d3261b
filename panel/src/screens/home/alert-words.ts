/** The sentences of the alerts of Inicio. */
export const alertWords = {
  settled: (message: string) => `Marcaste como resuelta: ${message}`,
  undo: 'Deshacer',
  undone: 'Ya no se puede deshacer: la alerta cambió mientras tanto.',
  afterTrial: 'Se podrá reconectar cuando la organización cambie de plan.',
  seeIn: (screen: string) => `Ver en ${screen}`,
  more: (count: string) => `Ver todas las alertas de este tipo (${count})`,
  fewer: 'Ver menos',
} as const;
