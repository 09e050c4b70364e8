// Fits classifiers of WEKA on folds that were drawn elsewhere, and prints what they predict for the rows held out.
//
//   java -cp weka.jar Folds.java
//
// Each line read asks for a classifier on the folds of a table: rows.arff, folds.txt, a class of WEKA, its options, parted
// by tabs. Each line of folds.txt is a fold, with one character for each row: 1 train, 2 held out, 0 neither. Each line
// printed has the predictions of a fold, parted by blanks: numbers, or the position of the class. A line that begins
// with ! says what failed.

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import weka.classifiers.AbstractClassifier;
import weka.classifiers.Classifier;
import weka.core.Instances;

public class Folds {
    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err); // what WEKA itself prints is no answer
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            try {
                predict(line.split("\t"), answers);
            } catch (Throwable error) {
                answers.println("! " + error.toString().replace('\n', ' '));
            }
            answers.flush();
        }
    }

    private static void predict(String[] asked, PrintStream answers) throws Exception {
        Instances rows = new Instances(new FileReader(asked[0]));
        rows.setClassIndex(rows.numAttributes() - 1);
        Classifier model = AbstractClassifier.forName(asked[2], Arrays.copyOfRange(asked, 3, asked.length));
        BufferedReader folds = new BufferedReader(new FileReader(asked[1]));
        for (String fold = folds.readLine(); fold != null; fold = folds.readLine()) {
            Instances train = new Instances(rows, 0);
            for (int i = 0; i < fold.length(); i++) {
                if (fold.charAt(i) == '1') train.add(rows.instance(i));
            }
            Classifier fitted = AbstractClassifier.makeCopy(model);
            fitted.buildClassifier(train);
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < fold.length(); i++) {
                if (fold.charAt(i) == '2') line.append(fitted.classifyInstance(rows.instance(i))).append(' ');
            }
            answers.println(line);
        }
    }
}
