/** Keeps cookies by their path, and follows nothing by itself. */
export interface Browser {
  readonly cookies: Map<string, { value: string; path: string }>;
  get(url: string): Promise<Answer>;
  post(url: string, fields: [string, string][], headers?: Record<string, string>): Promise<Answer>;
  /** Another one with the same cookies now. */
  copy(cookies?: string): Browser;
}

export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export function openBrowser(
  first = '',
  kept: Iterable<[string, { value: string; path: string }]> = [],
): Browser {
  const cookies = new Map(kept);
  if (first !== '')
    cookies.set(first.split('=')[0] as string, { value: first.split('=')[1] as string, path: '/' });

  async function send(url: string, init: RequestInit): Promise<Answer> {
    const { pathname } = new URL(url);
    const sent = [...cookies].filter(([, { path }]) => pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...init.headers, ...(cookie && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice(5) ?? '/';
      if (value === '' || line.includes('01 Jan 1970')) cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location:
        location === null
          ? null
          : location.startsWith('/')
            ? new URL(location, url).href
            : location,
      headers: response.headers,
      text: await response.text(),
    };
  }

  return {
    cookies,
    get: (url) => send(url, {}),
    post: (url, fields, headers = {}) =>
      send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(url).origin,
          ...headers,
        },
        body: new URLSearchParams(fields),
      }),
    copy: (other = '') => openBrowser(other, cookies),
  };
}
