/** The report formats that `check` and `report` share. */
import type { SiteReport } from '@docyard/render';

export const reportForms = ['json', 'sarif', 'junit', 'html', 'markdown'] as const;
export type ReportForm = (typeof reportForms)[number];

export interface FormOptions {
  title: string;
  /** The findings that JUnit counts as failures. */
  failOn: readonly string[];
}

export async function formReport(
  report: SiteReport,
  form: ReportForm,
  { title, failOn }: FormOptions,
): Promise<string> {
  const render = await import('@docyard/render/report');
  switch (form) {
    case 'json':
      return render.reportJson(report);
    case 'sarif':
      return render.reportSarif(report, render.engineVersion);
    case 'junit':
      return render.reportJunit(report, failOn);
    case 'html':
      return render.reportHtml(report, title);
    case 'markdown':
      return render.reportMarkdown(report);
  }
}
