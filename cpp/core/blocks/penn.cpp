#include "core/blocks/treebanks.hpp"
#include "core/brackets.hpp"

namespace treekernels {

namespace {

constexpr std::string_view kBlanksOfPenn = " \t\v\f\r";
constexpr std::string_view kSpacesOfPenn = " \t\v\f\r\n";

// What is behind the bracket that closes the one here; npos if none does.
std::size_t end_of_brackets(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '(') {
            ++depth;
        } else if (text[at] == ')' && --depth == 0) {
            return at + 1;
        }
    }
    return text.npos;
}

std::string_view without_outer_bracket(std::string_view tree) {
    const std::size_t inner = tree.find_first_not_of(kSpacesOfPenn, 1);
    return inner != tree.npos && tree[inner] == '(' ? tree.substr(1, tree.size() - 2) : tree;
}

std::uint32_t lines_in(std::string_view text) {
    return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

class PennBlock {
public:
    PennBlock(Dag& dag, std::string_view block, std::size_t longest_label)
        : reader_(dag, longest_label), block_(block) {}

    TreebankRows read(const Task& task) {
        while (rows_.end < block_.size()) {
            task.check();
            const std::size_t roots = rows_.roots.size();
            if (read_line()) continue;
            rows_.roots.resize(roots);
            rows_.lines.resize(roots);
            break;
        }
        return std::move(rows_);
    }

private:
    // Reads a line outside of trees, and those on which its trees go on.
    bool read_line() {
        std::size_t at = rows_.end;
        std::uint32_t line = rows_.line_count;
        const std::size_t first = block_.find_first_not_of(kBlanksOfPenn, at);
        if (first != block_.npos && (block_[first] == '#' || block_.substr(first).starts_with("*x*"))) {
            at = std::min(block_.find('\n', first), block_.size());
        } else {
            while ((at = block_.find_first_not_of(kBlanksOfPenn, at)) < block_.size() && block_[at] != '\n') {
                if (block_[at] != '(') return false;
                const std::size_t end = end_of_brackets(block_, at);
                if (end == block_.npos) {
                    rows_.may_go_on = true;
                    return false;
                }
                const std::string_view tree = block_.substr(at, end - at);
                try {
                    rows_.roots.push_back(reader_.read(without_outer_bracket(tree)));
                } catch (const ParseFailure&) {
                    return false;
                }
                rows_.lines.push_back(line);
                line += lines_in(tree);
                at = end;
            }
            at = std::min(at, block_.size());
        }
        rows_.line_count = line + 1;
        rows_.end = std::min(at + 1, block_.size());
        return true;
    }

    BracketReader reader_;
    std::string_view block_;
    TreebankRows rows_;
};

}  // namespace

TreebankRows read_penn(Dag& dag, std::string_view block, std::size_t longest_label, const Task& task) {
    return PennBlock(dag, block, longest_label).read(task);
}

}  // namespace treekernels
