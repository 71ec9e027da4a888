import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from './call'
import type { Page } from './model'

/** A paged listing: all items read so far, and `more` when the API has another page. Without a path nothing is read. */
export function useList<T>(key: readonly unknown[], path: string | undefined, query: Record<string, string | undefined> = {}, refetchInterval?: number) {
  const q = useInfiniteQuery<Page<T>, Error, InfiniteData<Page<T>>, readonly unknown[], string | undefined>({
    queryKey: [...key, query],
    queryFn: ({ pageParam }) => {
      const params = new URLSearchParams()
      for (const [k, v] of Object.entries({ ...query, cursor: pageParam })) if (v) params.set(k, v)
      return call<Page<T>>('GET', params.size > 0 ? `${path ?? ''}?${params.toString()}` : (path ?? ''))
    },
    enabled: path !== undefined,
    initialPageParam: undefined,
    getNextPageParam: (last) => last.nextCursor,
    ...(refetchInterval ? { refetchInterval } : {}),
  })
  const { data: read } = q
  return {
    data: useMemo(() => read?.pages.flatMap((p) => p.items), [read]),
    error: q.error,
    loading: q.isLoading,
    retry: () => { void q.refetch() },
    more: q.hasNextPage ? () => { void q.fetchNextPage() } : undefined,
    loadingMore: q.isFetchingNextPage,
  }
}
