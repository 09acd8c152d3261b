/** Every requirement of OWASP ASVS 5 at levels 1 and 2, but for WebRTC: numbers by section. */
const REQUIREMENTS = `1.1:1-2 1.2:1-9 1.3:1-11 1.4:1-3 1.5:1-2 2.1:1-3 2.2:1-3 2.3:1-4 2.4:1-1
3.2:1-2 3.3:1-4 3.4:1-6 3.5:1-5 3.7:1-2 4.1:1-3 4.2:1-1 4.3:1-2 4.4:1-4 5.1:1-1 5.2:1-3 5.3:1-2
5.4:1-3 6.1:1-3 6.2:1-12 6.3:1-4 6.4:1-4 6.5:1-5 6.6:1-3 6.8:1-4 7.1:1-3 7.2:1-4 7.3:1-2 7.4:1-5
7.5:1-2 7.6:1-2 8.1:1-2 8.2:1-3 8.3:1-1 8.4:1-1 9.1:1-3 9.2:1-4 10.1:1-2 10.2:1-2 10.3:1-4
10.4:1-11 10.5:1-5 10.6:1-2 10.7:1-3 11.1:1-2 11.2:1-3 11.3:1-3 11.4:1-4 11.5:1-1 11.6:1-1
12.1:1-3 12.2:1-2 12.3:1-4 13.1:1-1 13.2:1-5 13.3:1-2 13.4:1-5 14.1:1-2 14.2:1-4 14.3:1-3
15.1:1-3 15.2:1-3 15.3:1-7 16.1:1-1 16.2:1-5 16.3:1-4 16.4:1-3 16.5:1-3`;

const ALL = REQUIREMENTS.split(/\s/).flatMap((section) => {
  const [chapter = '', from = '', to = ''] = section.split(/[:-]/);
  const count = Number(to) - Number(from) + 1;
  return Array.from({ length: count }, (_, at) => `${chapter}.${Number(from) + at}`);
});

/** Sections whose rows each name the title of a test that shows them, or an exception. */
const SHOWN = ['## Keys and secrets', '## OWASP API Security Top 10', '## OWASP ASVS'];

/** What is wrong with the page about security. */
export function faultsOfSecurityPage(page: string): string[] {
  return [...rowsWithoutTest(page), ...faultsOfAsvs(page)];
}

function rowsWithoutTest(page: string): string[] {
  return SHOWN.flatMap((title) => {
    const [, section = ''] = page.split(`\n${title}`);
    const [, , ...rows] = (section.split('\n## ')[0] ?? '').match(/^\|.*$/gm) ?? [];
    if (rows.length === 0) return [`${title} has no rows`];
    return rows
      .filter((row) => !/“|\*\*Exception\*\*/.test(row))
      .map((row) => `no test and no exception: ${row.slice(0, 60)}`);
  });
}

/** Each requirement stands there once, in a row or among those that do not apply. */
function faultsOfAsvs(page: string): string[] {
  const part = page.slice(page.indexOf('## OWASP ASVS'));
  const [table = '', rest = ''] = part.split('\nNot applicable');
  const faults: string[] = [];
  const named: string[] = rest.slice(rest.indexOf(':') + 1).match(/[\d.]+\d(–[\d.]+\d)?/g) ?? [];
  for (const [, ids = ''] of table.matchAll(/^\| (\d[^|]*)\|/gm))
    named.push(...ids.trim().split(', '));
  const seen = new Map<string, number>();
  for (const id of named.flatMap(requirementsOf)) seen.set(id, (seen.get(id) ?? 0) + 1);
  for (const id of ALL)
    if (seen.get(id) !== 1) faults.push(`ASVS ${id} stands there ${seen.get(id) ?? 0} times`);
  for (const id of seen.keys()) if (!ALL.includes(id)) faults.push(`there is no ASVS ${id}`);
  return faults;
}

/** Of `10.1.1–10.2.2`: all between, whatever their section. */
function requirementsOf(named: string): string[] {
  const [from = '', to = from] = named.split('–');
  const [first, last] = [ALL.indexOf(from), ALL.indexOf(to)];
  return first < 0 || last < first ? [named] : ALL.slice(first, last + 1);
}
