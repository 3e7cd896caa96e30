/** Explains how a site reports what its readers do. */
import { CodeTabs } from '../../parts/code-tabs.tsx';
import { Empty, Panel } from '../../parts/page.tsx';

export function EnableAnalytics({ days, isOneSite }: { days: number; isOneSite: boolean }) {
  const origin = globalThis.location.origin;
  const settings = `analytics:
  enabled: on
report:
  url: ${origin}
  apiKeyFile: report.key
  name: docs-eu-1`;
  const asking = `{
  "feedback": { "thumbsRating": true }
}`;
  return (
    <Panel>
      <Empty
        icon="eye"
        title={`${isOneSite ? 'The site has' : 'No site has'} reported ${isOneSite ? 'no ' : ''}readers in the last ${days} days`}
      >
        <p>
          A site that runs <code>docyard site</code> counts page views and searches with{' '}
          <code>analytics.enabled</code>, without cookies, and sends its counts with its reports. With the
          setting in <code>docs.json</code>, its pages also ask whether they help.{' '}
          <a href="/docs/deploy/analytics">How it works</a>
        </p>
        <div className="enable-analytics">
          <CodeTabs
            label="Settings"
            forms={[
              ['site.yaml', settings],
              ['docs.json', asking],
            ]}
            labelOf={(name) => `settings in ${name}`}
          />
        </div>
      </Empty>
    </Panel>
  );
}
