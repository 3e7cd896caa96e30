/** Maps paths to screens. */
import { Suspense, type ComponentType } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { LeaveDialog } from '../parts/leave-dialog.tsx';
import { PageSkeleton } from '../parts/page.tsx';
import { ScreenBoundary } from '../parts/screen-boundary.tsx';
import { NotFound } from '../screens/not-found.tsx';
import { lazyScreen } from './lazy-screen.ts';
import { SignedIn, useHasExports } from '../session/session.tsx';
import { Shell } from './shell.tsx';
import { guardNavigation } from '../edits/unsaved-edits.ts';

const screens = {
  '/': lazyScreen(() => import('../screens/overview.tsx').then(({ Overview }) => Overview)),
  '/keys': lazyScreen(() => import('../screens/keys/keys.tsx').then(({ Keys }) => Keys)),
  '/projects': lazyScreen(() => import('../screens/projects/projects.tsx').then(({ Projects }) => Projects)),
  '/projects/:projectId': lazyScreen(() =>
    import('../screens/projects/project.tsx').then(({ Project }) => Project),
  ),
  '/projects/:projectId/github-app': lazyScreen(() =>
    import('../screens/projects/github-app-return.tsx').then(({ GithubAppReturn }) => GithubAppReturn),
  ),
  '/exports': lazyScreen(() => import('../screens/exports/exports.tsx').then(({ Exports }) => Exports)),
  '/exports/:jobId': lazyScreen(() => import('../screens/exports/export.tsx').then(({ Export }) => Export)),
  '/events': lazyScreen(() => import('../screens/events/events.tsx').then(({ Events }) => Events)),
  '/agent': lazyScreen(() => import('../screens/agent/agent-jobs.tsx').then(({ AgentJobs }) => AgentJobs)),
  '/agent/:projectId/:id': lazyScreen(() =>
    import('../screens/agent/agent-job.tsx').then(({ AgentJob }) => AgentJob),
  ),
  '/deployments': lazyScreen(() =>
    import('../screens/deployments/deployments.tsx').then(({ Deployments }) => Deployments),
  ),
  '/readers': lazyScreen(() => import('../screens/readers/readers.tsx').then(({ Readers }) => Readers)),
  '/webhooks': lazyScreen(() => import('../screens/webhooks/webhooks.tsx').then(({ Webhooks }) => Webhooks)),
  '/webhooks/:webhookId': lazyScreen(() =>
    import('../screens/webhooks/webhook.tsx').then(({ Webhook }) => Webhook),
  ),
  '/users': lazyScreen(() => import('../screens/users/users.tsx').then(({ Users }) => Users)),
  '/audit': lazyScreen(() => import('../screens/audit/audit.tsx').then(({ Audit }) => Audit)),
  '/system': lazyScreen(() => import('../screens/system/system.tsx').then(({ System }) => System)),
};

const screensWithoutExports: Record<string, ComponentType> = {
  '/': lazyScreen(() => planScreens().then(({ OverviewWithoutExports }) => OverviewWithoutExports)),
  '/exports': lazyScreen(() => planScreens().then(({ ExportsNeedPlan }) => ExportsNeedPlan)),
  '/exports/:jobId': lazyScreen(() => planScreens().then(({ ExportsNeedPlan }) => ExportsNeedPlan)),
};

function planScreens() {
  return import('../screens/plan-required.tsx');
}

function ScreenAt({ path, screen: Screen }: { path: string; screen: ComponentType }) {
  const hasExports = useHasExports();
  const Shown = (hasExports ? undefined : screensWithoutExports[path]) ?? Screen;
  return <Shown />;
}

const gates = {
  '/login': lazyScreen(() => import('../screens/gate/login.tsx').then(({ Login }) => Login)),
  '/setup': lazyScreen(() => import('../screens/gate/setup.tsx').then(({ Setup }) => Setup)),
  '/invitation': lazyScreen(() =>
    import('../screens/gate/invitation.tsx').then(({ Invitation }) => Invitation),
  ),
};

export function Routes() {
  return (
    <Router base="/dashboard" aroundNav={guardNavigation}>
      <LeaveDialog />
      <Suspense fallback={null}>
        <Switch>
          {Object.entries(gates).map(([path, Screen]) => (
            <Route key={path} path={path}>
              <Screen />
            </Route>
          ))}
          <Route>
            <SignedIn>
              <Shell>
                <ScreenBoundary>
                  <Suspense fallback={<PageSkeleton />}>
                    <Switch>
                      {Object.entries(screens).map(([path, screen]) => (
                        <Route key={path} path={path}>
                          <ScreenAt path={path} screen={screen} />
                        </Route>
                      ))}
                      <Route path="/index.html">
                        <Redirect to="/" replace />
                      </Route>
                      <Route path="/people">
                        <Redirect to={`/users${globalThis.location.search}`} replace />
                      </Route>
                      <Route>
                        <NotFound />
                      </Route>
                    </Switch>
                  </Suspense>
                </ScreenBoundary>
              </Shell>
            </SignedIn>
          </Route>
        </Switch>
      </Suspense>
    </Router>
  );
}
