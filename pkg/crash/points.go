package crash

// Every point, named <side>.<what>.<before|after>. The kill tests walk these lists.
const (
	RunStartBefore     = "server.run-start.before"      // run, lock and first event not yet written
	RunStartAfter      = "server.run-start.after"       // written, execution not started
	ExecStartAfter     = "server.execution-start.after" // execution started, not noted on the run
	ModelReplyAfter    = "server.model-reply.after"     // reply here, not journaled
	DecideAfter        = "server.decide.after"          // decision journaled, state machine not told
	CallRowAfter       = "server.call-row.after"        // call row written, doorbell not rung
	OutcomeRowBefore   = "server.outcome-row.before"    // outcome arrived, not written
	OutcomeRowAfter    = "server.outcome-row.after"     // written, token not told
	OutcomeTokenAfter  = "server.outcome-token.after"   // token told, runner not acknowledged
	AskRowAfter        = "server.ask-row.after"         // interaction written, function not returned
	AnswerRowAfter     = "server.answer-row.after"      // answer written, token not told
	AnswerTokenAfter   = "server.answer-token.after"    // token told, not marked delivered
	RunEndBefore       = "server.run-end.before"        // last decision made, run not ended
	RunEndAfter        = "server.run-end.after"         // run ended, execution still going
	IntentBefore       = "runner.intent.before"         // call received, intent not on disk
	IntentAfter        = "runner.intent.after"          // intent on disk, nothing done
	EffectAfter        = "runner.effect.after"          // done, outcome not on disk
	OutcomeStoredAfter = "runner.outcome-stored.after"  // outcome on disk, not sent
	OutcomeSentAfter   = "runner.outcome-sent.after"    // sent, not acknowledged
)

// ServerPoints and RunnerPoints list where each side can be killed.
var (
	ServerPoints = []string{RunStartBefore, RunStartAfter, ExecStartAfter, ModelReplyAfter, DecideAfter, CallRowAfter,
		OutcomeRowBefore, OutcomeRowAfter, OutcomeTokenAfter, AskRowAfter, AnswerRowAfter, AnswerTokenAfter,
		RunEndBefore, RunEndAfter}
	RunnerPoints = []string{IntentBefore, IntentAfter, EffectAfter, OutcomeStoredAfter, OutcomeSentAfter}
)
