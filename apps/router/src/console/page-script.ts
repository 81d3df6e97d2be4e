/**
 * Keeps the page fresh: fetches it again and puts in what became different, part by part, so that neither focus nor an
 * opened list is lost. The server escaped what it sends, and the policy lets no script run but this one.
 */
export const PAGE_SCRIPT = `
(() => {
  const PAUSE_MS = 2000;
  const said = document.getElementById('said');
  const pause = document.getElementById('pause');
  let paused = false;
  let failures = 0;

  const say = (text) => { if (said.textContent !== text) said.textContent = text; };

  const put = (fresh) => {
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = fresh.getElementById(part.id);
      if (next === null) continue;
      for (const list of part.querySelectorAll('details[open]')) {
        const same = next.querySelector('#' + list.id);
        if (same !== null) same.open = true;
      }
      if (next.outerHTML === part.outerHTML) continue;
      if (next.dataset.say !== part.dataset.say) say(next.dataset.say || '');
      const focused = part.contains(document.activeElement) ? document.activeElement.closest('[id]').id : '';
      part.replaceWith(next);
      if (focused !== '') document.querySelector('#' + focused + '>summary,#' + focused)?.focus();
    }
    document.title = fresh.title;
  };

  const refresh = async () => {
    if (paused || document.hidden) return;
    try {
      const response = await fetch(location.pathname, { cache: 'no-store' });
      if (!response.ok) throw new Error(String(response.status));
      put(new DOMParser().parseFromString(await response.text(), 'text/html'));
      if (failures > 0) say('The router answers again.');
      failures = 0;
    } catch {
      failures += 1;
      if (failures === 2) say('The router does not answer. What you see is old.');
    }
    document.body.classList.toggle('stale', failures > 1);
  };

  pause.hidden = false;
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.textContent = paused ? 'Go on' : 'Pause';
    document.body.classList.toggle('paused', paused);
    void refresh();
  });
  document.addEventListener('visibilitychange', () => void refresh());
  const again = () => setTimeout(() => void refresh().then(again), PAUSE_MS);
  again();
})();
`;
