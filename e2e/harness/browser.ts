/** As much of a browser as a login needs: follows redirects, keeps cookies, and stops where the client takes over. */
const REDIRECTS_MAX = 10;

/** The address at `end` that the walk from `start` led to, with what the authorization server put there. */
export async function walk(start: URL, end: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let at = 0; at < REDIRECTS_MAX; at += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the login ended at ${url.pathname} with ${response.status}`);
    url = new URL(location, url);
    if (url.href.startsWith(end)) return url;
  }
  throw new Error('the login went in circles');
}
