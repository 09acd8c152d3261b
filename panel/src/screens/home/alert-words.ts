/** The sentences of the alerts of Inicio. */
export const alertWords = {
  settled: (message: string) => `Marcaste como resuelta: ${message}`,
  undo: 'Deshacer',
  undone: 'Ya no se puede deshacer: la alerta cambió mientras tanto.',
  afterTrial: 'Se podrá reconectar cuando la organización cambie de plan.',
  seeIn: (screen: string) => `Ver en ${screen}`,
  more: (count: string) => `Ver todas las alertas de este tipo (${count})`,
  fewer: 'Ver menos',
  resolved: 'Ver alertas resueltas',
  resolvedTitle: 'Alertas resueltas',
  resolvedIntro: (days: string) =>
    `Las de los últimos ${days} días, de la más reciente a la más antigua.`,
  noneResolved: (days: string) => `En los últimos ${days} días no se resolvió ninguna alerta.`,
  changed: 'No se volvió a abrir: la alerta cambió mientras tanto.',
  moreResolved: 'Aquí están las más recientes; hay otras más antiguas.',
  began: 'Del',
  ended: 'al',
  settledBy: (name: string) => `La marcó como resuelta: ${name}`,
  byItself: 'Se resolvió sola',
  reopen: 'Volver a abrir',
} as const;

interface NamedAlert {
  readonly account: string | null;
  readonly message: string;
}

/** The alert's sentence, after the account that it is about where there are several. */
export function alertText({ account, message }: NamedAlert): string {
  return account === null ? message : `${account}: ${message}`;
}
