/** Every address of the dashboard and the screen behind it. A screen is loaded when it is first opened. */
import { lazy, Suspense, type ComponentType } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { NotFound } from '../screens/not-found.tsx';
import { SignedIn, useHasExports } from './session.tsx';
import { Shell } from './shell.tsx';

const screens = {
  '/': lazy(() => import('../screens/overview.tsx').then(({ Overview }) => ({ default: Overview }))),
  '/keys': lazy(() => import('../screens/keys/keys.tsx').then(({ Keys }) => ({ default: Keys }))),
  '/projects': lazy(() =>
    import('../screens/projects/projects.tsx').then(({ Projects }) => ({ default: Projects })),
  ),
  '/projects/:projectId': lazy(() =>
    import('../screens/projects/project.tsx').then(({ Project }) => ({ default: Project })),
  ),
  '/exports': lazy(() =>
    import('../screens/exports/exports.tsx').then(({ Exports }) => ({ default: Exports })),
  ),
  '/exports/:jobId': lazy(() =>
    import('../screens/exports/export.tsx').then(({ Export }) => ({ default: Export })),
  ),
  '/agent': lazy(() =>
    import('../screens/agent/agent-jobs.tsx').then(({ AgentJobs }) => ({ default: AgentJobs })),
  ),
  '/agent/:projectId/:id': lazy(() =>
    import('../screens/agent/agent-job.tsx').then(({ AgentJob }) => ({ default: AgentJob })),
  ),
  '/webhooks': lazy(() =>
    import('../screens/webhooks/webhooks.tsx').then(({ Webhooks }) => ({ default: Webhooks })),
  ),
  '/webhooks/:webhookId': lazy(() =>
    import('../screens/webhooks/webhook.tsx').then(({ Webhook }) => ({ default: Webhook })),
  ),
  '/people': lazy(() => import('../screens/people/people.tsx').then(({ People }) => ({ default: People }))),
  '/audit': lazy(() => import('../screens/audit/audit.tsx').then(({ Audit }) => ({ default: Audit }))),
  '/system': lazy(() => import('../screens/system/system.tsx').then(({ System }) => ({ default: System }))),
};

const screensWithoutExports: Record<string, ComponentType> = {
  '/': lazy(() => planScreens().then(({ OverviewWithoutExports }) => ({ default: OverviewWithoutExports }))),
  '/exports': lazy(() => planScreens().then(({ ExportsNeedPlan }) => ({ default: ExportsNeedPlan }))),
  '/exports/:jobId': lazy(() => planScreens().then(({ ExportsNeedPlan }) => ({ default: ExportsNeedPlan }))),
};

function planScreens() {
  return import('../screens/plan-required.tsx');
}

/** A screen about exports gives way to an explanation while the plan of the organization lacks them. */
function ScreenAt({ path, screen: Screen }: { path: string; screen: ComponentType }) {
  const hasExports = useHasExports();
  const Shown = (hasExports ? undefined : screensWithoutExports[path]) ?? Screen;
  return <Shown />;
}

const gates = {
  '/login': lazy(() => import('../screens/gate/login.tsx').then(({ Login }) => ({ default: Login }))),
  '/setup': lazy(() => import('../screens/gate/setup.tsx').then(({ Setup }) => ({ default: Setup }))),
  '/invitation': lazy(() =>
    import('../screens/gate/invitation.tsx').then(({ Invitation }) => ({ default: Invitation })),
  ),
};

export function Routes() {
  return (
    <Router base="/dashboard">
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
                <Suspense fallback={null}>
                  <Switch>
                    {Object.entries(screens).map(([path, screen]) => (
                      <Route key={path} path={path}>
                        <ScreenAt path={path} screen={screen} />
                      </Route>
                    ))}
                    <Route path="/index.html">
                      <Redirect to="/" replace />
                    </Route>
                    <Route>
                      <NotFound />
                    </Route>
                  </Switch>
                </Suspense>
              </Shell>
            </SignedIn>
          </Route>
        </Switch>
      </Suspense>
    </Router>
  );
}
