/** Builds both images as a company would: packages come from its npm mirror, which has a certificate of its authority. */
import { mkdirSync, rmSync } from 'node:fs';
import { root } from '../deploy/dockerfile.ts';
import { startCompany } from './company.ts';
import { imageMegabytes, run, succeed, temporaryFiles } from './podman.ts';

export const serviceImage = 'localhost/docyard:0.1.0';
export const siteImage = 'localhost/docyard-site:0.1.0';
export const certificateFile = '/etc/ca-certificate.pem';

export interface Build {
  /** Of both; 0 if they were there. */
  seconds: number;
  serviceMegabytes: number;
  baseMegabytes: number;
  siteMegabytes: number;
}

export async function findOrBuildImages(base: string): Promise<Build> {
  for (const image of [serviceImage, siteImage]) {
    const { status } = await run('podman', ['image', 'exists', image]);
    if (status !== 0) return buildImages(base);
  }
  return { seconds: 0, ...(await sizesOf(base)) };
}

export async function buildImages(base: string): Promise<Build> {
  const company = await startCompany();
  // A package that npm keeps is not downloaded again.
  rmSync(temporaryFiles, { recursive: true, force: true });
  mkdirSync(temporaryFiles);
  try {
    const args = { NPM_CONFIG_REGISTRY: company.mirror, CA_CERTIFICATE: company.certificate };
    const started = performance.now();
    await build(siteImage, ['--no-cache', '--target', 'site'], args);
    // Reuses the steps that both have in common.
    await build(serviceImage, [], args);
    const seconds = (performance.now() - started) / 1000;
    if (company.downloads.length < 100)
      throw new Error(`The build got ${company.downloads.length} packages from the mirror.`);
    return { seconds, ...(await sizesOf(base)) };
  } finally {
    company.close();
  }
}

async function sizesOf(base: string): Promise<Omit<Build, 'seconds'>> {
  const sizes = await Promise.all([serviceImage, base, siteImage].map(imageMegabytes));
  const [serviceMegabytes = 0, baseMegabytes = 0, siteMegabytes = 0] = sizes;
  return { serviceMegabytes, baseMegabytes, siteMegabytes };
}

/** Returns the seconds it took. Steps that two targets share are run once. */
async function build(name: string, options: readonly string[], args: Record<string, string>): Promise<void> {
  const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const common = ['build', '--layers', '--isolation=chroot', '--pull-never', '--file', 'deploy/Dockerfile'];
  await succeed('buildah', [...common, ...options, ...given, '--tag', name, '.'], {
    cwd: root,
    onOutput: (text) => {
      for (const line of text.split('\n'))
        if (line.includes('] STEP ')) console.log(`  ${line.slice(0, 110)}`);
    },
  });
}
