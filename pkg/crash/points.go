package crash

import "slices"

// Every point, named <side>.<what>.<before|after>, in the order in which a run passes them. The kill tests walk the lists
// below; each point stands at exactly one place in the code.
const (
	RunStartBefore     = "server.run-start.before"      // run, lock and first event not yet written
	RunStartAfter      = "server.run-start.after"       // written, execution not started
	ExecStartAfter     = "server.execution-start.after" // execution started, not noted on the run
	ModelReplyAfter    = "server.model-reply.after"     // reply here, not journaled
	DecideBefore       = "server.decide.before"         // large parts of the decision kept, decision not journaled
	DecideAfter        = "server.decide.after"          // decision journaled, state machine not told
	HandoverAfter      = "server.handover.after"        // next generation written, its execution not started
	CallRowAfter       = "server.call-row.after"        // call row written, doorbell not rung
	CallRungAfter      = "server.call-rung.after"       // the machine has the call, the run does not say so
	OutcomeRowBefore   = "server.outcome-row.before"    // outcome arrived, not written
	OutcomeRowAfter    = "server.outcome-row.after"     // written, token not told
	OutcomeTokenAfter  = "server.outcome-token.after"   // token told, runner not acknowledged
	AskRowAfter        = "server.ask-row.after"         // interaction written, function not returned
	AnswerRowAfter     = "server.answer-row.after"      // answer written, token not told
	AnswerTokenAfter   = "server.answer-token.after"    // token told, not marked delivered
	JournalBefore      = "server.journal.before"        // entries of a program not written
	JournalAfter       = "server.journal.after"         // written, nothing done with them yet
	ToolAfter          = "server.tool.after"            // a tool answered, its answer not journaled
	RestAfter          = "server.rest.after"            // the run says that it waits, nobody was asked
	CancelAfter        = "server.cancel.after"          // cancel written, nobody who waits was told
	RunEndBefore       = "server.run-end.before"        // last decision made, run not ended
	RunEndAfter        = "server.run-end.after"         // run ended, execution still going
	IntentBefore       = "runner.intent.before"         // call received, intent not on disk
	IntentAfter        = "runner.intent.after"          // intent on disk, nothing done
	UploadAfter        = "runner.upload.after"          // done and its picture in the cloud, outcome not on disk
	EffectAfter        = "runner.effect.after"          // done, outcome not on disk
	OutcomeStoredAfter = "runner.outcome-stored.after"  // outcome on disk, not sent
	OutcomeSentAfter   = "runner.outcome-sent.after"    // sent, not acknowledged
	AckBefore          = "runner.ack.before"            // acknowledged, not noted
)

// ServerPoints and RunnerPoints list where each side can be killed. A browser task passes the points of BrowsePoints, a program
// those of ProgramPoints; together they are all of the server's.
var (
	BrowsePoints = []string{RunStartBefore, RunStartAfter, ExecStartAfter, ModelReplyAfter, DecideBefore, DecideAfter, HandoverAfter,
		CallRowAfter, CallRungAfter, OutcomeRowBefore, OutcomeRowAfter, OutcomeTokenAfter, AskRowAfter, AnswerRowAfter, AnswerTokenAfter,
		CancelAfter, RunEndBefore, RunEndAfter}
	ProgramPoints = []string{RunStartBefore, RunStartAfter, ExecStartAfter, JournalBefore, JournalAfter, ToolAfter, RestAfter,
		AskRowAfter, AnswerRowAfter, AnswerTokenAfter, CancelAfter, RunEndBefore, RunEndAfter}
	ServerPoints = union(BrowsePoints, ProgramPoints)
	RunnerPoints = []string{IntentBefore, IntentAfter, UploadAfter, EffectAfter, OutcomeStoredAfter, OutcomeSentAfter, AckBefore}
)

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, p := range b {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
