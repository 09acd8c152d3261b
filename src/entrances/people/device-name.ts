/** The first that fits: browsers name also those that they resemble. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: typeof BROWSERS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** «Chrome en Windows»: what a passkey is called unless its owner names it. */
export function deviceName(userAgent = '', unknown = 'Este dispositivo'): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (table) => table.find(([mark]) => mark.test(userAgent))?.[1],
  );
  if (browser && system) return `${browser} en ${system}`;
  return browser ?? system ?? unknown;
}
