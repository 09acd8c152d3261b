import { findService, SERVICES } from './registry.ts';

/** The called API versions of all services, as the table of their page. */
export function versionsTable(): string {
  const rows = SERVICES.flatMap((service) => {
    const { name = service, versions = [] } = findService(service) ?? {};
    return versions.map(({ api, version, endsOn, source, isUsedBy }) =>
      row(
        name,
        api,
        version ?? 'none named',
        endsOn ?? 'none announced',
        isUsedBy ? 'chosen' : 'all',
        source,
      ),
    );
  });
  const head = [
    row('Service', 'API', 'Version', 'First day without it', 'Connections', 'Source'),
    row(...RULE),
  ];
  return [...head, ...rows].join('\n');
}

const RULE = Array.from({ length: 6 }, () => '---');

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
