/** Compiles the rendered objects of both Helm charts against the types of the Kubernetes API, which know every field. */
import { describe, expect, test } from 'vitest';
import { casesOf, chartNames, goMissing, openChart, valuesOf, type Manifest } from './deploy/helm/chart.ts';
import { typeProblems } from './deploy/helm/kubernetes.ts';

if (goMissing !== undefined) console.warn(`Skipped: ${goMissing}.`);
describe.skipIf(goMissing !== undefined)('the rendered charts', () => {
  test('every object of every case has only fields of its type', () => {
    const manifests = chartNames.flatMap((chart) => {
      const { render } = openChart(chart);
      return casesOf(chart).flatMap(({ values }) => render(values));
    });
    expect(manifests.length).toBeGreaterThan(80);
    expect(typeProblems(manifests)).toBe('');
  });

  test('a misspelled field is found', () => {
    const [deployment] = openChart('docyard').render(valuesOf('docyard', 'minimal'));
    const misspelled = { ...deployment, spec: { ...deployment?.spec, replica: 2 } } as Manifest;
    expect(typeProblems([misspelled])).toContain('replica');
  });
});
