import Actions
import Endpoints
import FaveGames
import Identity

// What people can do: what changes stored data goes through here or through `services.accounts` and
// `services.importer`, and no other way is open to this module.
extension RequestContext {
    var blocks: BlockActions { BlockActions(services.store) }
    var circles: CircleActions {
        CircleActions(
            services.store, refusedWords: refusedWords, services.accounts.attempts,
            webhookNetworks: services.settings.webhookNetworks)
    }
    var follows: FollowActions { FollowActions(services.store) }
    var guestDrafts: GuestDraftActions { GuestDraftActions(services.store) }
    var hearts: HeartActions { HeartActions(services.store, services.accounts.attempts) }
    var lists: ListActions { ListActions(services.store, games: games, refusedWords: refusedWords) }
    var moderation: ModerationActions {
        ModerationActions(services.store, services.accounts.attempts)
    }
    var news: NewsActions { NewsActions(services.store) }
    var profiles: ProfileActions { ProfileActions(services.store, services.accounts) }
    var snapshots: SnapshotActions { SnapshotActions(services.store, refusedWords: refusedWords) }

    private var refusedWords: RefusedWords { services.accounts.policy.refusedWords }
}
