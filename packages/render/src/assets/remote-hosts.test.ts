import { describe, expect, it } from 'vitest';
import { renderFixture } from '../../test/support/render-fixture.ts';
import { RemoteHosts } from './remote-hosts.ts';

const failed = (message: string, hasAnswered?: boolean): Promise<never> =>
  Promise.reject(Object.assign(new Error(message), hasAnswered === undefined ? {} : { hasAnswered }));

async function reasons(fetches: Promise<Uint8Array>[]): Promise<string[]> {
  const settled = await Promise.allSettled(fetches);
  return settled.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason as Error).message));
}

describe('a host that fails', () => {
  it('a host gets no further request after three failures in a row', async () => {
    const asked: string[] = [];
    const fetch = new RemoteHosts().bounded((address) => {
      asked.push(address);
      return failed('it cannot be reached');
    });
    const all = await reasons(Array.from({ length: 50 }, (_, index) => fetch(`https://dead.test/${index}`)));
    expect(asked).toHaveLength(3);
    expect(all.slice(0, 3)).toEqual(Array(3).fill('it cannot be reached'));
    expect(new Set(all.slice(3))).toEqual(
      new Set(['the host dead.test failed 3 times in a row and gets no further requests']),
    );
  });

  it('a host that answers with an error still gets a request for every file', async () => {
    let asked = 0;
    const fetch = new RemoteHosts().bounded(() => {
      asked += 1;
      return failed('it answered with status 404', true);
    });
    await reasons(Array.from({ length: 50 }, (_, index) => fetch(`https://live.test/${index}`)));
    expect(asked).toBe(50);
  });

  it('an unreachable host does not block requests to another one', async () => {
    const fetch = new RemoteHosts().bounded((address) =>
      address.includes('live') ? Promise.resolve(new Uint8Array(1)) : failed('dead'),
    );
    const addresses = Array.from({ length: 20 }, (_, index) => [
      `https://dead.test/${index}`,
      `https://live.test/${index}`,
    ]).flat();
    const all = await reasons(addresses.map((address) => fetch(address)));
    expect(all.filter((reason) => reason === 'ok')).toHaveLength(20);
  });

  it('without a network no further host gets a request', async () => {
    const asked: string[] = [];
    const fetch = new RemoteHosts().bounded((address) => {
      asked.push(address);
      return failed('dead');
    });
    const all: string[] = [];
    for (let index = 0; index < 30; index++)
      all.push(...(await reasons([fetch(`https://host-${index}.test/`)])));
    expect(asked).toHaveLength(4);
    expect(all.at(-1)).toBe('no other host can be reached');
  });
});

describe('the deadline', () => {
  it('a fetch that never ends is abandoned at the shared deadline', async () => {
    const fetch = new RemoteHosts({ seconds: 0.05 }).bounded(() => new Promise(() => undefined));
    const all = await reasons([
      ...Array.from({ length: 5 }, () => fetch('https://silent.test/')),
      fetch('https://other.test/'),
    ]);
    expect(new Set(all)).toEqual(new Set(['other hosts took longer than 0.05 seconds together']));
  });
});

describe('a site without a network', () => {
  it('a page shows a link for each picture of a host that was given up', async () => {
    let asked = 0;
    const site = await renderFixture('unreachable-host', {
      fetchPicture: () => {
        asked += 1;
        return failed('it cannot be reached');
      },
    });
    expect(asked).toBe(3);
    for (const page of ['index', 'second'])
      expect(site.content(`${page}.html`).split(`href="https://dead.test/${page}-`)).toHaveLength(9);
  });
});
