/**
 * React's API in exported pages, without functions that mount other roots (`render`, `hydrate`). Elements are
 * those of `author-elements.ts`, and ids match the export.
 */
import { useContext, useState } from 'preact/hooks';
import {
  Component,
  Fragment,
  PureComponent,
  StrictMode,
  Suspense,
  createContext,
  createPortal,
  createRef,
  flushSync,
  forwardRef,
  lazy,
  memo,
  startTransition,
  unstable_batchedUpdates,
  use,
  useCallback,
  useDebugValue,
  useDeferredValue,
  useEffect,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useSyncExternalStore,
  useTransition,
  version,
} from 'preact/compat';
import { Children, cloneElement, createElement, isValidElement } from './author-elements.ts';
import { PoolContext } from './parts.ts';

function useId(): string {
  const pool = useContext(PoolContext);
  return useState(() => pool?.nextId() ?? '')[0];
}

export const React: Record<string, unknown> = {
  Children,
  Component,
  Fragment,
  Profiler: Fragment,
  PureComponent,
  StrictMode,
  Suspense,
  cloneElement,
  createContext,
  createElement,
  createRef,
  forwardRef,
  isValidElement,
  lazy,
  memo,
  startTransition,
  use,
  useCallback,
  useContext,
  useDebugValue,
  useDeferredValue,
  useEffect,
  useId,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
  useTransition,
  version,
};

export const ReactDOM: Record<string, unknown> = {
  createPortal,
  flushSync,
  unstable_batchedUpdates,
  version,
};
