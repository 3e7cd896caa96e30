/** Checks the image of `docyard-site`: its size and content, and that it serves a bundle as a user without a name. */
import { strictEqual, match, deepStrictEqual, ok } from 'node:assert/strict';
import { siteImage, type Build } from './build.ts';
import { expectHealth, freshVolume, startContainer } from './container.ts';
import { podman, succeed } from './podman.ts';

const maxMegabytes = 120;

/** Returns the time from the start of the container to a served site. */
export async function checkSiteImage(bundleFile: string, { siteMegabytes }: Build): Promise<number> {
  ok(siteMegabytes < maxMegabytes, `The image of docyard-site has ${siteMegabytes.toFixed(1)} MB.`);
  await checkFiles();
  const container = await startContainer({
    image: siteImage,
    name: 'site',
    volume: await freshVolume('site'),
    isArbitraryUser: true,
    environment: { STATIC_EXPORT_BUNDLE_URL: '/bundle.tar.gz' },
    volumes: [`${bundleFile}:/bundle.tar.gz:ro`],
  });
  await expectHealth(container, true);
  const page = await fetch(container.origin);
  strictEqual(page.status, 200);
  match(await page.text(), /<title>/);
  const releases = await container.exec('docyard-site', 'releases');
  match(releases, /r1/);
  strictEqual(await container.stop(), 0);
  await podman('rm', container.name);
  return container.readyMs;
}

/** The program is bundled, so no package and no file of the service is there, nor a shell. */
async function checkFiles(): Promise<void> {
  const name = 'files';
  await podman('create', '--replace', '--name', name, siteImage);
  const list = await succeed('sh', ['-c', `podman export ${name} | tar -t`]);
  await podman('rm', name);
  const files = list.split('\n').filter((path) => !path.endsWith('/'));
  const programs = files.filter((path) => path.startsWith('usr/local/bin/'));
  deepStrictEqual(programs.toSorted(), [
    'usr/local/bin/docyard-healthcheck',
    'usr/local/bin/docyard-site',
    'usr/local/bin/node',
  ]);
  const ours = files.filter((path) => path.startsWith('app/'));
  const unexpected = ours.filter((path) => !/^app\/([\w-]+\.js|[A-Z-]+(\.txt|\.md)?)$/.test(path));
  deepStrictEqual(unexpected, []);
  deepStrictEqual(
    files.filter((path) => /node_modules|^(usr\/)?bin\/|dpkg/.test(path)),
    [],
  );
}
