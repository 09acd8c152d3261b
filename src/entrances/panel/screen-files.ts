/** The files that the panel's build made of a screen. */
import type { SitePage } from '../../platform/site-pages.ts';

/** Of Vite: each source of a screen with its file, those that it imports, and its styles. */
export type Manifest = Readonly<
  Record<
    string,
    { readonly file: string; readonly imports?: string[]; readonly css?: readonly string[] }
  >
>;

const ENTRY = 'index.html';

/** The files of a screen beyond those that the page itself names. */
export function filesOf(manifest: Manifest, page: SitePage | null): string[] {
  if (page === null) return [];
  const source = `src/screens/${page}/${page.charAt(0).toUpperCase()}${page.slice(1)}Screen.tsx`;
  const known = new Set(closure(manifest, ENTRY));
  const more = closure(manifest, source).filter((name) => !known.has(name));
  return more.flatMap((name) => [manifest[name]?.file ?? [], manifest[name]?.css ?? []].flat());
}

function closure(manifest: Manifest, from: string, found = new Set<string>()): string[] {
  if (found.has(from)) return [];
  found.add(from);
  const { imports = [] } = manifest[from] ?? {};
  return [from, ...imports.flatMap((name) => closure(manifest, name, found))];
}
