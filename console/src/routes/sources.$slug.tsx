import { createFileRoute } from '@tanstack/react-router'
import { SourcePage } from '@/sources/source-page'

export const Route = createFileRoute('/sources/$slug')({
  component: function Source() {
    const { slug } = Route.useParams()
    return <SourcePage key={slug} slug={slug} />
  },
})
